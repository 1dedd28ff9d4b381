/** Opens the connection to a NATS server, with TLS if the server or the flags ask for it. */

import {
  checkOptions,
  type ConnectionOptions,
  INFO,
  type Server,
} from "@nats-io/nats-core/internal";
import { FirstLine } from "./first_line.ts";
import type { NatsSocket } from "./tls_socket.ts";

/** The size of a buffer, in bytes. Several chunks share one. */
const BUFFER_BYTES = 64 * 1024;

/** The least room for a chunk, in bytes. A buffer with less room is not filled further. */
const MIN_CHUNK_BYTES = 4 * 1024;

/** Connects to a server. The signal ends the attempt. Rejects if the server cannot be used. */
export async function openSocket(
  server: Server,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<NatsSocket> {
  if (!options.tls) {
    const socket = await openPlainSocket(server, options, signal);
    if (socket !== undefined) return socket;
  }
  // This module loads those of Node, which takes longer than a short call.
  const { openTlsSocket } = await import("./tls_socket.ts");
  let first: Uint8Array = new Uint8Array();
  const socket = await openTlsSocket(server, options.tls ?? {}, {
    signal,
    onFirstLine(line) {
      if (!asksForTls(line, options)) throw new Error("the server has no TLS any more");
      first = line;
    },
  });
  return { ...socket, chunks: startWith(first, socket.chunks) };
}

/** Connects without TLS. Returns `undefined` if the server asks for TLS in its first line. */
async function openPlainSocket(
  { hostname, port }: Server,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<NatsSocket | undefined> {
  const connection = await Deno.connect({ hostname, port, signal });
  const close = () => {
    try {
      connection.close();
    } catch { /* It is closed. */ }
  };
  signal.addEventListener("abort", close);
  try {
    signal.throwIfAborted();
    connection.setNoDelay(true);
    const chunks = readChunks(connection);
    const first = await readFirstLine(chunks);
    if (!asksForTls(first, options)) {
      return { chunks: startWith(first, chunks), isEncrypted: false, write, close };
    }
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
  close();
  return undefined;

  async function write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  }
}

/**
 * Whether the server asks for TLS in its first line. Throws if the line is not one of NATS, or if the
 * options ask for more than the server has.
 */
function asksForTls(first: Uint8Array, options: ConnectionOptions): boolean {
  const [, json] = INFO.exec(new TextDecoder().decode(first)) ?? [];
  if (json === undefined) throw new Error("the answer does not come from a NATS server");
  const info = JSON.parse(json);
  checkOptions(info, options);
  return info.tls_required === true || info.tls_available === true;
}

/** Returns the bytes up to the end of the first line, and those that came with them. */
async function readFirstLine(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  for (const line = new FirstLine();;) {
    const { value, done } = await chunks.next();
    if (done) throw new Error("the server closed the connection");
    const read = line.add(value);
    if (read !== undefined) return read;
  }
}

async function* startWith(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* readChunks(connection: Deno.TcpConn): AsyncGenerator<Uint8Array, void> {
  for (let buffer = new Uint8Array(), used = 0;;) {
    if (buffer.length - used < MIN_CHUNK_BYTES) [buffer, used] = [new Uint8Array(BUFFER_BYTES), 0];
    const count = await connection.read(buffer.subarray(used));
    if (count === null) return;
    yield buffer.subarray(used, used + count);
    used += count;
  }
}

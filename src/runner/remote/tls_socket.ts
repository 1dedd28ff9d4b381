/**
 * A connection to a NATS server with TLS. The server sends its first line before TLS begins. Only
 * Node's modules can begin TLS after that, and show a certificate of the client.
 */

import type { Server, TlsOptions } from "@nats-io/nats-core";
import { connect as connectPlainly, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { FirstLine } from "./first_line.ts";

/** A connection that carries the protocol of NATS. */
export interface NatsSocket {
  /** The bytes that the server sends. Fails when the connection is lost. */
  chunks: AsyncIterable<Uint8Array>;
  /** Whether the bytes are encrypted. */
  isEncrypted: boolean;
  /** Sends all the bytes. Resolves when the system has taken them, so a slow server is waited for. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection. A second call has no effect. */
  close(): void;
}

/**
 * Connects to a server, gives its first line to `onFirstLine`, and starts TLS. The signal ends the
 * attempt. Rejects if the server cannot be used. If the server refuses the certificate of the client,
 * reading fails.
 */
export async function openTlsSocket(
  { hostname, port, tlsName }: Server,
  files: TlsOptions,
  { signal, onFirstLine }: { signal: AbortSignal; onFirstLine(line: Uint8Array): void },
): Promise<NatsSocket> {
  const plain = connectPlainly(port, hostname);
  let socket: Socket = plain;
  const close = () => socket.destroy();
  signal.addEventListener("abort", close);
  try {
    plain.setNoDelay(true);
    onFirstLine(await firstLine(plain));
    const name = tlsName || hostname;
    const secure = connectTls({
      ...{ socket: plain, host: name, rejectUnauthorized: true },
      // An address is no server name in TLS, but the certificate must be for it.
      ...(isIP(name) === 0 && { servername: name }),
      ...(files.caFile !== undefined && { ca: Deno.readTextFileSync(files.caFile) }),
      ...(files.certFile !== undefined && { cert: Deno.readTextFileSync(files.certFile) }),
      ...(files.keyFile !== undefined && { key: Deno.readTextFileSync(files.keyFile) }),
    });
    socket = secure;
    await untilSecure(secure);
    return { chunks: secure, isEncrypted: true, write: (bytes) => write(secure, bytes), close };
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
}

async function firstLine(socket: Socket): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const line = new FirstLine();
  const take = (chunk: Uint8Array) => {
    try {
      const read = line.add(chunk);
      if (read !== undefined) resolve(read);
    } catch (error) {
      reject(error);
    }
  };
  socket.on("data", take);
  // These stay, because an error without a listener would end the program.
  socket.on("error", reject).on("close", () => reject(new Error("the server has hung up")));
  try {
    return await promise;
  } finally {
    socket.off("data", take);
  }
}

async function untilSecure(socket: TLSSocket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.on("secureConnect", resolve);
    socket.on("error", reject).on("close", () => reject(new Error("the server has hung up")));
  });
}

function write(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => error ? reject(error) : resolve());
  });
}

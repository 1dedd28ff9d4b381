import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { CallError } from "../../../base/errors.ts";
import { InexactJsonError, parseExactJson } from "../../../base/json/exact_json.ts";
import type { Process } from "../../cli/command.ts";
import { decodeInput, MAX_INPUT_BYTES } from "../../dialect/request.ts";
import { ByteLines } from "../byte_lines.ts";
import { answerId, createServer, type RequestError, unknownKeysError } from "./server.ts";
import type { ServerContext } from "./tools_call.ts";

/** Reading pauses while this many requests are unanswered. */
const MAX_OPEN = 100;
/** Reading pauses while the client has not read this many bytes of answers. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** The time for outstanding answers after the client has closed its end, in milliseconds. */
const LAST_MS = 5_000;
/** A line that is longer is not examined for being blank. */
const MAX_BLANK = 64 * 1024;

const NOT_A_MESSAGE =
  'A line has to be one JSON-RPC message, such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}';

/** Serves MCP over two streams until the client closes its end or `stop` resolves. */
export async function serveLines(
  shared: ServerContext,
  { stdin, stdout }: Process,
  stop: Promise<void>,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const transport = new LineTransport(stdin, stdout);
  const handle = serveStdio(() => createServer(shared), { transport });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  await Promise.race([ended.promise, stop]);
  await handle.close();
}

/**
 * MCP's stdio transport: each line is one message in UTF-8. It stops reading from a client that
 * does not read its answers, so memory stays bounded. It answers an invalid line with an error.
 * After the client has closed its end, it still sends the outstanding answers.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "stdio"
 */
class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  #open = new Set<string | number>();
  #unread = 0;
  #written: Promise<void> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(readonly stdin: Process["stdin"], readonly stdout: Process["stdout"]) {}

  start(): Promise<void> {
    this.#readAll().catch((error) => this.onerror?.(error)).finally(() => this.close());
    return Promise.resolve();
  }

  /** Writes a message after the earlier ones. Resolves when it is written. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
    const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    this.#unread += line.length;
    this.#written = this.#written.then(() => this.#write(line));
    await this.#written;
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#change();
    this.onclose?.();
    return Promise.resolve();
  }

  async #write(line: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < line.length && !this.#isClosed;) {
        at += await this.stdout.write(line.subarray(at));
      }
    } catch {
      // The client has closed the stream.
      await this.close();
    } finally {
      this.#unread -= line.length;
      this.#change();
    }
  }

  async #readAll(): Promise<void> {
    const lines = new ByteLines(MAX_INPUT_BYTES);
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      await this.#untilReadable();
      const count = this.#isClosed ? null : await this.stdin.read(buffer);
      if (count === null) break;
      for (const line of lines.add(buffer.subarray(0, count))) {
        this.#receive(line);
        await this.#untilReadable();
      }
    }
    this.#receive(lines.takeRest());
    const late = setTimeout(() => this.close(), LAST_MS);
    await this.#until(() => this.#open.size === 0);
    await this.#written;
    clearTimeout(late);
  }

  #receive(line: Uint8Array): void {
    if (isBlank(line)) return;
    try {
      const message = parseExactJson(decodeInput(line));
      if (!isMessage(message)) return void this.#refuseMessage(message);
      if ("method" in message && "id" in message) this.#open.add(message.id);
      if ("method" in message && message.method === "notifications/cancelled") {
        // The SDK does not answer a cancelled request.
        this.#open.delete(message.params?.["requestId"] as string);
      }
      this.onmessage?.(message);
    } catch (error) {
      const isJson = error instanceof InexactJsonError;
      if (!isJson && !(error instanceof CallError)) return this.onerror?.(error as Error);
      const message = isJson ? `The line ${error.message}` : error.message;
      this.#refuse(null, { code: ProtocolErrorCode.ParseError, message });
    }
  }

  async #refuseMessage(message: unknown): Promise<void> {
    const error = await unknownKeysError(message) ??
      { code: ProtocolErrorCode.InvalidRequest, message: NOT_A_MESSAGE };
    this.#refuse(answerId(message), error);
  }

  #refuse(id: string | number | null, error: RequestError): void {
    this.send({ jsonrpc: "2.0", id, error } as JSONRPCMessage);
  }

  #untilReadable(): Promise<void> {
    return this.#until(() => this.#open.size < MAX_OPEN && this.#unread < MAX_UNREAD);
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!this.#isClosed && !condition()) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Returns true for a message that the SDK handles: it silently ignores any other. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

function isBlank(line: Uint8Array): boolean {
  return line.length < MAX_BLANK && line.every((byte) => byte === 0x20 || byte === 0x0d);
}

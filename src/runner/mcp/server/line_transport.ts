import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { decodeInput, MAX_INPUT_BYTES } from "../../dialect/json_text.ts";
import { InexactJsonError, parseExactJson } from "../../../base/json/exact_json.ts";
import { idOf, oddKeys, type RequestError } from "./odd_keys.ts";

/** How many requests may wait for their answers before no more is read. */
const MAX_OPEN = 100;
/** How many bytes may wait for the client to read them before no more is read from it. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** How long the answers may take that are due when the client has said its last, in milliseconds. */
const LAST_MS = 5_000;

const [PARSE_ERROR, INVALID_REQUEST] = [-32700, -32600];
const NEWLINE = 0x0a;

/** The part of a stream that is read here. */
export interface LineSource {
  /** Waits for something to read; `null` at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
}

/** The part of a stream that is written here. */
export interface LineSink {
  /** Waits until something can be written. */
  write(data: Uint8Array): Promise<number>;
}

/**
 * MCP's stdio transport: a message a line, in UTF-8. A client that does not read its answers
 * is not listened to until it does, so what waits is bounded; a line that is no message is
 * answered with an error. What is due when the client closes its end is still answered.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "stdio"
 */
export class LineTransport implements Transport {
  /** Takes each message; set by the SDK. */
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called when the connection has ended. */
  onclose?: () => void;
  /** Called for what goes wrong on the way. */
  onerror?: (error: Error) => void;
  #open = new Set<string | number>();
  #unread = 0;
  #written: Promise<void> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  #isClosed = false;

  /** Takes both ends. */
  constructor(readonly source: LineSource, readonly sink: LineSink) {}

  /** Begins to read. */
  start(): Promise<void> {
    this.#readAll().catch((error) => this.onerror?.(error)).finally(() => this.close());
    return Promise.resolve();
  }

  /** Writes a message, after those before it. Resolves when the client could read it. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
    const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    this.#unread += line.length;
    this.#written = this.#written.then(() => this.#write(line));
    await this.#written;
  }

  /** Ends the connection. */
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
        at += await this.sink.write(line.subarray(at));
      }
    } catch {
      // Nobody reads any more.
      await this.close();
    } finally {
      this.#unread -= line.length;
      this.#change();
    }
  }

  async #readAll(): Promise<void> {
    let line = new Line();
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      await this.#until(() => this.#open.size < MAX_OPEN && this.#unread < MAX_UNREAD);
      const count = this.#isClosed ? null : await this.source.read(buffer);
      if (count === null) break;
      for (let rest = buffer.subarray(0, count); rest.length > 0;) {
        const end = rest.indexOf(NEWLINE);
        line.add(end < 0 ? rest : rest.subarray(0, end));
        if (end < 0) break;
        rest = rest.subarray(end + 1);
        this.#receive(line);
        line = new Line();
        await this.#until(() => this.#open.size < MAX_OPEN && this.#unread < MAX_UNREAD);
      }
    }
    this.#receive(line);
    const late = setTimeout(() => this.close(), LAST_MS);
    await this.#until(() => this.#open.size === 0);
    await this.#written;
    clearTimeout(late);
  }

  #receive(line: Line): void {
    if (line.isBlank()) return;
    try {
      const message = parseExactJson(decodeInput(line.bytes()));
      if (!isMessage(message)) return void this.#refuseMessage(message);
      if ("method" in message && "id" in message) this.#open.add(message.id);
      if ("method" in message && message.method === "notifications/cancelled") {
        // A request that was cancelled is not answered.
        this.#open.delete(message.params?.["requestId"] as string);
      }
      this.onmessage?.(message);
    } catch (error) {
      const isJson = error instanceof InexactJsonError;
      if (!isJson && !(error instanceof CallError)) return this.onerror?.(error as Error);
      const message = isJson ? `The line ${error.message}` : error.message;
      this.#refuse(null, { code: PARSE_ERROR, message });
    }
  }

  async #refuseMessage(message: unknown): Promise<void> {
    const error = await oddKeys(message) ?? { code: INVALID_REQUEST, message: NOT_A_MESSAGE };
    this.#refuse(idOf(message), error);
  }

  #refuse(id: string | number | null, error: RequestError): void {
    this.send({ jsonrpc: "2.0", id, error } as JSONRPCMessage);
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!this.#isClosed && !holds()) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const NOT_A_MESSAGE =
  'A line has to be one JSON-RPC message, such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}';

/** Whether it is one that the SDK answers or takes: to any other it says nothing. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** A line as far as it has come; of one that is too long no more than that is kept. */
class Line {
  #chunks: Uint8Array[] = [];
  #length = 0;

  add(chunk: Uint8Array): void {
    if (this.#length > MAX_INPUT_BYTES) return;
    this.#chunks.push(chunk.slice());
    this.#length += chunk.length;
  }

  isBlank(): boolean {
    return this.#length < 64 * 1024 && this.bytes().every((byte) => byte === 0x20 || byte === 0x0d);
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}

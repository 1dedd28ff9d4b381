import type { JSONRPCMessage, ServerCapabilities, Transport } from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { EagerPipes } from "../../../base/fs/eager_pipes.ts";
import { InexactJsonError } from "../../../base/json/exact_json.ts";
import type { CallResult } from "../../call/failure.ts";
import type { QuickCalls } from "../../call/quick_calls.ts";
import type { Process } from "../../cli/command.ts";
import { decodeInput, MAX_INPUT_BYTES } from "../../dialect/request.ts";
import { ByteLines, isBlank } from "../byte_lines.ts";
import { initializeAnswer } from "./initialize.ts";
import { LineWriter } from "./line_writer.ts";
import { plainCallIn, tellsOfRoots } from "./plain_call.ts";
import { restoreNumberIds } from "./number_ids.ts";
import {
  answerId,
  duplicateKeyError,
  messageError,
  PARSE_ERROR,
  parseMessages,
  type RequestError,
} from "./request_errors.ts";

/** Reading pauses while this many requests are unanswered. */
const MAX_OPEN = 100;
/** Reading pauses while the client has not read this many bytes of answers. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** The time for outstanding answers after the client has closed its end, in milliseconds. */
const LAST_MS = 5_000;

/**
 * MCP's stdio transport: each line is one message in UTF-8. It stops reading from a client that
 * does not read its answers, so memory stays bounded. It answers an invalid line with an error, and
 * a usual `initialize` before the SDK is loaded.
 * After the client has closed its end, it still sends the outstanding answers.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "stdio"
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Returns what answers quick calls before the SDK sees them. */
  quickCalls: () => QuickCalls | undefined = () => undefined;
  /** Called before the SDK sees that the client has changed its roots. */
  forgetRoots: () => void = () => {};
  /** Called with each request for subscriptions before the SDK sees it. It may return an error. */
  onListen: (message: Record<string, unknown>) => RequestError | undefined = () => undefined;
  /** Called with the id of each request that the client cancels. */
  onCancelled: (id: unknown) => void = () => {};
  /** Whether the SDK handles a message. Set it before {@link start}. */
  isMessage: (value: unknown) => value is JSONRPCMessage = (_): _ is JSONRPCMessage => false;
  #stdin: Process["stdin"];
  #begun = Promise.withResolvers<void>();
  /** Resolves when the first message has come, or no more will come. */
  readonly begun = this.#begun.promise;
  /** The messages that came before the SDK was loaded. */
  #early: unknown[] | undefined = [];
  /** The id of the `initialize` that has its answer, before the SDK answers it. */
  #answered: string | number | undefined;
  #open = new Set<string | number>();
  #writer: LineWriter;
  #changed = Promise.withResolvers<void>();
  #pipes = new EagerPipes();
  /** Whether nothing more is read or written. */
  isClosed = false;

  /** Takes the streams of the connection, and the capabilities of the server. */
  constructor(
    { stdin, stdout }: Pick<Process, "stdin" | "stdout">,
    readonly capabilities: ServerCapabilities,
  ) {
    this.#stdin = stdin;
    this.#writer = new LineWriter(stdout, {
      onWritten: () => this.#change(),
      onBroken: () => void this.close(),
    }, this.#pipes);
  }

  /** Begins to read. The messages wait until the SDK starts this transport. */
  read(): void {
    this.#readAll().catch((error) => this.onerror?.(error)).finally(() => this.close());
  }

  /** Hands over the messages that wait, and from now on each that comes. */
  start(): Promise<void> {
    // The others wait until the SDK knows the client, as they would without the early answer.
    if (this.#answered === undefined) this.#deliverEarly(0);
    else this.#deliver(this.#early![0]);
    return Promise.resolve();
  }

  /** Writes a message after the earlier ones. Resolves when it is written. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.isClosed) return;
    if (!("method" in message) && message.id !== undefined) {
      this.#open.delete(message.id);
      if (message.id === this.#answered) {
        this.#answered = undefined;
        return this.#deliverEarly(1);
      }
    }
    await this.#writer.write(restoreNumberIds(JSON.stringify(message)));
  }

  close(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.isClosed = true;
    this.#writer.stop();
    this.#change();
    this.onclose?.();
    return Promise.resolve();
  }

  async #readAll(): Promise<void> {
    const lines = new ByteLines(MAX_INPUT_BYTES);
    const buffer = new Uint8Array(64 * 1024);
    const isWaiting = () =>
      this.#early === undefined && this.#open.size === 0 && this.#writer.unread === 0;
    for (;;) {
      if (!this.#isReadable()) await this.#until(() => this.#isReadable());
      const count = this.isClosed ? null : await this.#pipes.read(this.#stdin, buffer, isWaiting);
      if (count === null) break;
      for (const line of lines.add(buffer.subarray(0, count))) {
        this.#receive(line);
        if (!this.#isReadable()) await this.#until(() => this.#isReadable());
      }
    }
    this.#receive(lines.takeRest());
    this.#begun.resolve();
    await this.#until(() => this.#early === undefined);
    const late = setTimeout(() => this.close(), LAST_MS);
    await this.#until(() => this.#open.size === 0);
    await this.#writer.written;
    clearTimeout(late);
  }

  #receive(line: Uint8Array): void {
    if (isBlank(line)) return;
    try {
      const parsed = parseMessages(decodeInput(line));
      const { value: message } = parsed;
      const duplicate = duplicateKeyError(parsed);
      if (duplicate !== undefined) return this.#refuse(answerId(message), duplicate);
      if (this.#early === undefined) return this.#deliver(message);
      if (this.#early.push(message) === 1) this.#begin(message);
    } catch (error) {
      const isJson = error instanceof InexactJsonError;
      if (!isJson && !(error instanceof CallError)) return this.onerror?.(error as Error);
      const message = isJson ? `The line ${error.message}` : error.message;
      this.#refuse(null, { code: PARSE_ERROR, message });
    }
  }

  /** Answers the first message if it is a usual `initialize`. */
  #begin(message: unknown): void {
    const answer = initializeAnswer(message, this.capabilities);
    if (answer !== undefined) {
      this.#answered = answer["id"] as string | number;
      this.#writer.write(restoreNumberIds(JSON.stringify(answer)));
    }
    // The answer goes to the system before the SDK is loaded.
    queueMicrotask(() => queueMicrotask(() => this.#begun.resolve()));
  }

  #deliverEarly(from: number): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early.slice(from)) this.#deliver(message);
    this.#change();
  }

  #deliver(message: unknown): void {
    if (this.#answerQuickly(message)) return;
    if (tellsOfRoots(message)) this.forgetRoots();
    if (!this.isMessage(message)) return void this.#refuseMessage(message);
    if ("method" in message && "id" in message) this.#open.add(message.id);
    if ("method" in message && message.method === "subscriptions/listen") {
      const error = this.onListen(message);
      if (error !== undefined) return this.#refuse(answerId(message), error);
    }
    if ("method" in message && message.method === "notifications/cancelled") {
      // The SDK does not answer a cancelled request.
      const id = message.params?.["requestId"];
      this.#open.delete(id as string);
      this.onCancelled(id);
    }
    this.onmessage?.(message);
  }

  /** Answers a quick call before the SDK sees it. Returns false for any other message. */
  #answerQuickly(message: unknown): boolean {
    const plain = plainCallIn(message);
    if (plain === undefined || this.#open.has(plain.id)) return false;
    const { id, call } = plain;
    const running = this.quickCalls()?.run(call);
    if (running === undefined) return false;
    if (!(running instanceof Promise)) {
      this.#answer(id, running);
      return true;
    }
    this.#open.add(id);
    running.then((result) => {
      // A cancelled request has no answer.
      if (!this.#open.has(id)) return;
      if (result === undefined) return this.onmessage?.(message as JSONRPCMessage);
      this.#open.delete(id);
      this.#answer(id, result);
    });
    return true;
  }

  #answer(id: string | number, result: CallResult): void {
    this.#writer.write(restoreNumberIds(JSON.stringify({ result, jsonrpc: "2.0", id })));
  }

  async #refuseMessage(message: unknown): Promise<void> {
    this.#refuse(answerId(message), await messageError(message));
  }

  #refuse(id: string | number | null, error: RequestError): void {
    this.send({ jsonrpc: "2.0", id, error } as JSONRPCMessage);
  }

  #isReadable(): boolean {
    const open = this.#open.size + (this.#early?.length ?? 0);
    return open < MAX_OPEN && this.#writer.unread < MAX_UNREAD;
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!this.isClosed && !condition()) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

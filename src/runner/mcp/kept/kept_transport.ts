import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { ownCommand, startDetached } from "../../sandbox/executors/own_process.ts";
import type { ProgramTransport } from "../client/stdio_transport.ts";
import { type KeepOptions, orderText, slotOf } from "./keep_order.ts";
import { KeptConnection } from "./kept_connection.ts";
import { KeptDirectory } from "./kept_directory.ts";

/** The time that a keeper has to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** The first words of a keeper. */
export interface KeeperStart {
  /** Why it cannot keep the program. */
  error?: string;
  /** Why the shell of this session that ran before has ended, if there was one. */
  before?: string;
}

/** Uses a server that runs between calls, and starts it if it does not run. */
export class KeptTransport implements ProgramTransport {
  /** Receives each message. */
  onmessage?: ProgramTransport["onmessage"];
  /** Called for errors. */
  onerror?: ProgramTransport["onerror"];
  /** Called once when the connection has ended. */
  onclose?: ProgramTransport["onclose"];
  /** The SDK recognises the transport of a program by this property and `pid`. */
  readonly stderr = null;
  /** The program's process id, or `null` before it is known. */
  pid: number | null = null;
  /** The keeper's first words, if this transport has started it. */
  started: KeeperStart | undefined;
  #connection: KeptConnection | undefined;
  #reason = "";
  #isClosed = false;

  /** Takes the server, and what ends the attempt to reach it. */
  constructor(readonly keep: KeepOptions, readonly signal: AbortSignal) {}

  /** Connects to the server. Throws `unavailable` if it cannot be reached or started. */
  async start(): Promise<void> {
    const connection = await this.#connect();
    if (this.#isClosed) return connection.close();
    this.#connection = connection;
    connection.onMessage = (message) => this.onmessage?.(message as unknown as JSONRPCMessage);
    connection.onClose = (reason) => {
      this.#reason = reason;
      void this.close();
    };
  }

  /** Sends a message. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#connection === undefined) throw new Error("Not connected");
    await this.#connection.send(message as unknown as Record<string, unknown>);
  }

  /** Closes the connection. The server stays for other calls. */
  // deno-lint-ignore require-await -- The interface requires a promise.
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection?.close();
    this.onclose?.();
  }

  /** Returns nothing: the keeper has the output. */
  output(): string {
    return "";
  }

  /** The last line of the program that could not be read while this call was connected, quoted. */
  get lastUnreadable(): string {
    return this.#connection?.lastUnreadable ?? "";
  }

  /** Describes why the connection ended, as the keeper says it. */
  exitReason(): Promise<string> {
    return Promise.resolve(this.#reason);
  }

  /** Two calls at once start one server, because the lock is held until a keeper answers. */
  async #connect(): Promise<KeptConnection> {
    const { order } = this.keep;
    const directory = KeptDirectory.open(order.stateDir, { create: true })!;
    const slot = await slotOf(order);
    return await directory.withLock(slot, { signal: this.signal }, async (isLocked) => {
      if (!isLocked) throw this.#failure("other calls connect for too long; try again");
      return await this.#useOrStart(directory, slot);
    });
  }

  async #useOrStart(directory: KeptDirectory, slot: string): Promise<KeptConnection> {
    const { order } = this.keep;
    const running = await this.#use(directory, slot);
    if (running !== undefined && "connection" in running) return running.connection;
    directory.remove(slot);
    const [path, ...args] = ownCommand(this.keep.program);
    const line = await startDetached([path, ...args, "keep-server"], {
      input: JSON.stringify(order),
      signal: this.signal,
      advice: order.kind === "shell" ? "omit session" : 'remove "keepAlive" from its entry',
    });
    const words = JSON.parse(line) as KeeperStart;
    if (words.error !== undefined) throw this.#failure(words.error);
    this.started = words;
    const started = await this.#use(directory, slot);
    if (started !== undefined && "connection" in started) return started.connection;
    // The program has ended at its start.
    this.#reason = started?.ended ?? "";
    throw new Error("Not connected");
  }

  /** Connects to the keeper, if there is one. `ended` says why its program has ended. */
  async #use(
    directory: KeptDirectory,
    slot: string,
  ): Promise<{ connection: KeptConnection } | { ended: string } | undefined> {
    const record = directory.read(slot);
    const session = record && await this.#open({ directory, record });
    if (session === undefined) return undefined;
    const { connection, answer } = session;
    if (answer["state"] === "ready") {
      this.pid = Number(answer["pid"]);
      return { connection };
    }
    connection.close();
    return { ended: String(answer["ended"] ?? "") };
  }

  async #open(at: Parameters<typeof KeptConnection.open>[0]) {
    try {
      const order = orderText(this.keep.order);
      return await KeptConnection.open(at, { request: "use", order, waitMs: ANSWER_MS });
    } catch {
      const { kind, server } = this.keep.order;
      const advice = kind === "shell" ? "use restart" : `run "toolcall mcp stop ${server}"`;
      throw this.#failure(`its keeper, process ${at.record.pid}, does not respond; ${advice}`);
    }
  }

  #failure(why: string): CallError {
    const { kind, server } = this.keep.order;
    if (kind === "shell") {
      const message = `Cannot use the shell of the session ${quote(server)}: ${why}`;
      return new CallError("unavailable", message, { session: server });
    }
    const message = `Cannot use the MCP server ${quote(server)}, which is kept: ${why}`;
    return new CallError("unavailable", message, { server });
  }
}

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { delay } from "@std/async/delay";
import { Supervisor } from "../../sandbox/executors/supervise.ts";
import { LastWords } from "./last_words.ts";
import { MessageLines } from "./message_lines.ts";
import type { Redactor } from "../../../base/text/redact.ts";

/** The longest message that is taken, in bytes. */
export const MAX_MESSAGE = 2 ** 24;

/** How many messages may wait for a program that asks without reading what it is answered. */
const MAX_UNREAD = 10_000;

/** How long a program may take to end once its input has, and its output once it has, in milliseconds. */
const LEAVE_MS = 300;
/** How many turns of the microtask queue the protocol's library has for a message before the next. */
const TURNS = 10;
/** How long its last words are waited for: once it has ended, and while it runs, in milliseconds. */
const [ENDED_MS, RUNNING_MS] = [1_000, 50];

/** What is needed to start a server. */
export interface ServerProgram {
  /** The program's path. */
  path: string;
  /** Its arguments. */
  args: readonly string[];
  /** Its whole environment. */
  env: Record<string, string>;
  /** The folder that it runs in. */
  cwd: string;
  /** Takes secrets out of what it says. */
  mask: Redactor;
}

/**
 * A server's program, in a process group of its own: a message is a line of its stdin or its
 * stdout. The group ends with the connection, and with this process, however that ends.
 */
export class StdioTransport implements Transport {
  /** Where the protocol's messages go. */
  onmessage?: Transport["onmessage"];
  /** Told of what went wrong. */
  onerror?: Transport["onerror"];
  /** Told once that the connection has ended. */
  onclose?: Transport["onclose"];
  /** By this and `pid` the protocol's library knows that it speaks to a program. */
  readonly stderr = null;
  #program: ServerProgram;
  #child: Deno.ChildProcess | undefined;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #supervisor: Supervisor | undefined;
  #words = new LastWords();
  #heard: Promise<void> = Promise.resolve();
  #fault: string | undefined;
  #unread = 0;
  #closing: Promise<void> | undefined;

  /** Takes the program, which `start` starts. */
  constructor(program: ServerProgram) {
    this.#program = program;
  }

  /** The program's process, while there is one. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Starts the program. Rejects when that cannot be. */
  // deno-lint-ignore require-await -- The interface wants a promise.
  async start(): Promise<void> {
    const { path, args, env, cwd } = this.#program;
    this.#supervisor = new Supervisor(undefined);
    const child = new Deno.Command(path, {
      ...{ args: [...args], env, cwd, clearEnv: true, detached: true },
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    }).spawn();
    this.#child = child;
    this.#supervisor.started(child.pid);
    this.#input = child.stdin.getWriter();
    // A program that has ended is written to no more: that it has is told by its output.
    this.#input.closed.catch(() => {});
    this.#heard = this.#hear(child.stderr);
    const listened = this.#listen(child.stdout);
    // What the program has started may hold its output open when it has ended itself.
    child.status.then(async () => {
      await Promise.race([listened, delay(LEAVE_MS)]);
      await this.close();
    });
  }

  /** Sends a message. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#input === undefined || this.#closing) throw new Error("Not connected");
    if (this.#unread >= MAX_UNREAD) {
      this.#fault = "it does not read what it is sent";
      void this.close();
      throw new Error("Not connected");
    }
    this.#unread++;
    try {
      await this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}
`));
    } catch (cause) {
      // It has ended, and nobody has heard of that yet.
      await this.close();
      throw new Error("Not connected", { cause });
    } finally {
      this.#unread--;
    }
  }

  /** Ends the program: its input first, then TERM and KILL for its group. */
  close(): Promise<void> {
    return this.#closing ??= this.#end();
  }

  /** Why the connection ended, as far as the program tells: its exit code and its last words. */
  async epitaph(): Promise<string> {
    const child = this.#child;
    if (child === undefined) return "";
    const waitMs = this.#closing === undefined ? RUNNING_MS : ENDED_MS;
    await Promise.race([Promise.all([child.status, this.#heard]), delay(waitMs)]);
    const status = await Promise.race([child.status, undefined]);
    const end = status === undefined
      ? ""
      : ` (${status.signal === null ? `exit code ${status.code}` : status.signal})`;
    const words = this.#words.text(this.#program.mask);
    return (this.#fault === undefined ? end : `: ${this.#fault}`) +
      (words === "" ? "" : `; its last words:\n${words}`);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child !== undefined) {
      this.#input?.close().catch(() => {});
      await Promise.race([child.status, delay(LEAVE_MS)]);
      await this.#supervisor?.end(child.pid);
    }
    this.onclose?.();
  }

  async #listen(output: ReadableStream<Uint8Array>): Promise<void> {
    const lines = new MessageLines(MAX_MESSAGE);
    try {
      for await (const part of output) {
        for (const line of lines.add(part)) {
          this.#receive(line);
          // What tells how far a call is, is heard some turns later, and before the answer or never.
          for (let turn = 0; turn < TURNS; turn++) await null;
        }
        if (this.#closing) break;
      }
    } catch (error) {
      this.#fault = (error as Error).message;
    }
    await this.close();
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch { /* taken for a word of the program's, below */ }
    if (isMessage(message)) return this.onmessage?.(message);
    this.#words.add(new TextEncoder().encode(`${line}\n`));
  }

  async #hear(output: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const part of output) this.#words.add(part.slice());
    } catch { /* what was heard until then is kept */ }
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value;
}

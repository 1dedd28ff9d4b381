import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { delay } from "@std/async/delay";
import { Supervisor } from "../../sandbox/executors/supervise.ts";
import type { Redactor } from "../../../base/text/redact.ts";
import { ByteLines } from "../byte_lines.ts";
import { StderrTail } from "./stderr_tail.ts";

/** The largest message of a server, in bytes. */
export const MAX_MESSAGE_BYTES = 2 ** 24;

/** The most messages that wait for a program that does not read its input. */
const MAX_UNREAD = 10_000;

/**
 * The time that a program has to exit after its input was closed, and that its output has to end
 * after it exited, in milliseconds.
 */
const LEAVE_MS = 300;
/** The turns of the microtask queue that the SDK gets for a message before the next one. */
const TURNS = 10;
/** The longest waits for stderr: after the program has exited, and while it runs, in milliseconds. */
const [ENDED_MS, RUNNING_MS] = [1_000, 50];

/** A program, and how to start it. */
export interface ServerProgram {
  /** The program's path. */
  path: string;
  /** Its arguments. */
  args: readonly string[];
  /** Its whole environment. */
  env: Record<string, string>;
  /** Its working directory. */
  cwd: string;
  /** Removes secrets from its output. */
  redact: Redactor;
}

/**
 * Runs the program of a server in its own process group. Each message is a line of its stdin or
 * stdout. The group is ended with the connection, and with this process, however it ends.
 */
export class StdioTransport implements Transport {
  /** Receives each message. */
  onmessage?: Transport["onmessage"];
  /** Called for errors. */
  onerror?: Transport["onerror"];
  /** Called once when the connection has ended. */
  onclose?: Transport["onclose"];
  /** The SDK recognises the transport of a program by this property and `pid`. */
  readonly stderr = null;
  #program: ServerProgram;
  #child: Deno.ChildProcess | undefined;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #supervisor: Supervisor | undefined;
  #tail = new StderrTail();
  #stderrEnded: Promise<void> = Promise.resolve();
  #fault: string | undefined;
  #unread = 0;
  #closing: Promise<void> | undefined;

  /** Takes the program; `start` starts it. */
  constructor(program: ServerProgram) {
    this.#program = program;
  }

  /** The program's process id, or `null` before it is started. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Starts the program. Rejects if it cannot be started. */
  // deno-lint-ignore require-await -- The interface requires a promise.
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
    // The end of its output shows that the program has exited: ignore the error of its input.
    this.#input.closed.catch(() => {});
    this.#stderrEnded = this.#readStderr(child.stderr);
    const stdoutEnded = this.#readStdout(child.stdout);
    // Child processes of the program can keep its output open after it has exited.
    child.status.then(async () => {
      await Promise.race([stdoutEnded, delay(LEAVE_MS)]);
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
      // The program has exited, and its end of output was not read yet.
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

  /** Describes why the connection ended: by the exit code and the end of stderr. */
  async exitReason(): Promise<string> {
    const child = this.#child;
    if (child === undefined) return "";
    const waitMs = this.#closing === undefined ? RUNNING_MS : ENDED_MS;
    await Promise.race([Promise.all([child.status, this.#stderrEnded]), delay(waitMs)]);
    const status = await Promise.race([child.status, undefined]);
    const end = status === undefined
      ? ""
      : ` (${status.signal === null ? `exit code ${status.code}` : status.signal})`;
    const tail = this.#tail.text(this.#program.redact);
    return (this.#fault === undefined ? end : `: ${this.#fault}`) +
      (tail === "" ? "" : `; its last words:\n${tail}`);
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

  async #readStdout(output: ReadableStream<Uint8Array>): Promise<void> {
    const lines = new ByteLines(MAX_MESSAGE_BYTES);
    try {
      for await (const chunk of output) {
        for (const line of lines.add(chunk)) {
          checkLength(line.length);
          this.#receive(new TextDecoder().decode(line));
          // The SDK handles progress some turns later, and drops it after the answer: wait for it.
          for (let turn = 0; turn < TURNS; turn++) await null;
        }
        checkLength(lines.pending);
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
    } catch { /* The line is other output of the program. */ }
    if (isMessage(message)) return this.onmessage?.(message);
    this.#tail.add(new TextEncoder().encode(`${line}\n`));
  }

  async #readStderr(output: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of output) this.#tail.add(chunk.slice());
    } catch { /* The output so far is kept. */ }
  }
}

function checkLength(bytes: number): void {
  if (bytes <= MAX_MESSAGE_BYTES) return;
  throw new Error(`it sent a message of more than ${MAX_MESSAGE_BYTES / 2 ** 20} MiB`);
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value;
}

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { delay } from "@std/async/delay";
import type { Redactor } from "../../../base/text/redact.ts";
import { Supervisor } from "../../sandbox/executors/supervise.ts";
import { EarlyInitialize } from "./early_initialize.ts";
import { readMessages } from "./message_lines.ts";
import type { ServerProgram } from "./server_program.ts";
import { StderrTail } from "./stderr_tail.ts";
import { isReadable, UnreadableAnswers } from "./unreadable_answers.ts";

/** The most messages that wait for a program that does not read its input. */
const MAX_UNREAD = 10_000;

/** The time to exit after the input ends, and to end the output after that, in milliseconds. */
const LEAVE_MS = 300;
/** The longest waits for stderr after the program's exit and while it runs, in milliseconds. */
const [ENDED_MS, RUNNING_MS] = [1_000, 50];

/** The transport of a server that is a program. */
export interface ProgramTransport extends Transport {
  /** Returns the end of the program's stderr, as far as it is known here. */
  output(): string;
  /** Describes why the connection ended. Empty if it has not ended and there is no output. */
  exitReason(): Promise<string>;
  /** The last line of the program that could not be read as a message, quoted; empty without one. */
  readonly lastUnreadable: string;
}

/**
 * Runs the program of a server in its own process group. Each message is a line of its stdin or
 * stdout. The group is ended with the connection, and with this process, however it ends.
 */
export class StdioTransport implements ProgramTransport {
  /** Receives each message. */
  onmessage?: Transport["onmessage"];
  /** Called for errors. */
  onerror?: Transport["onerror"];
  /** Called once when the connection has ended. */
  onclose?: Transport["onclose"];
  /** Gets each line of its stdout that could not be read as a message, quoted. */
  onUnreadable?: (line: string) => void;
  /** The SDK recognises the transport of a program by this property and `pid`. */
  readonly stderr = null;
  #child: Deno.ChildProcess | undefined;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #supervisor: Supervisor | undefined;
  #tail = new StderrTail();
  #stderrEnded: Promise<void> = Promise.resolve();
  /** Returns the end of its stderr so far. */
  readonly output = (): string => this.#tail.text(this.redact);
  #unreadable: UnreadableAnswers;
  #early = new EarlyInitialize(
    (message) => void this.#write(message).catch(() => {}),
    (message) => this.onmessage?.(message as unknown as JSONRPCMessage),
  );
  #fault: string | undefined;
  #unread = 0;
  #closing: Promise<void> | undefined;

  /** Takes the program, which `start` starts, and what removes secrets from its output. */
  constructor(readonly program: ServerProgram, readonly redact: Redactor) {
    this.#unreadable = new UnreadableAnswers(redact, (line) => this.onUnreadable?.(line));
  }

  /** The last line of its stdout that could not be read as a message, quoted; empty without one. */
  get lastUnreadable(): string {
    return this.#unreadable.last;
  }

  /** The program's process id, or `null` before it is started. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Starts the program. Rejects if it cannot be started. */
  // deno-lint-ignore require-await -- The interface requires a promise.
  async start(): Promise<void> {
    const { path, ...options } = this.program;
    this.#supervisor = new Supervisor(undefined);
    const child = this.#child = new Deno.Command(path, {
      ...{ ...options, clearEnv: true, detached: true },
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    }).spawn();
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
    if (this.#early.takeFromClient({ ...message })) return;
    await this.#write({ ...message });
  }

  async #write(message: Record<string, unknown>): Promise<void> {
    if (this.#input === undefined) return;
    if (this.#unread >= MAX_UNREAD) {
      this.#fault = "it does not read its input";
      void this.close();
      throw new Error("Not connected");
    }
    this.#unread++;
    this.#unreadable.sent(message);
    try {
      await this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
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
    await Promise.race([
      Promise.all([child.status, this.#stderrEnded]),
      delay(this.#closing === undefined ? RUNNING_MS : ENDED_MS),
    ]);
    const status = await Promise.race([child.status, undefined]);
    const end = status === undefined ? "" : ` (${status.signal ?? `exit code ${status.code}`})`;
    return (this.#fault === undefined ? end : `: ${this.#fault}`) +
      (this.output() && `; its last output:\n${this.output()}`);
  }

  async #end(): Promise<void> {
    this.#early.stop();
    const child = this.#child;
    if (child !== undefined) {
      this.#input?.close().catch(() => {});
      await Promise.race([child.status, delay(LEAVE_MS)]);
      await this.#supervisor?.endProgram(child.pid);
    }
    this.onclose?.();
  }

  async #readStdout(output: ReadableStream<Uint8Array>): Promise<void> {
    try {
      await readMessages(output, {
        take: (message, line) => this.#receive(message, line),
        isClosed: () => this.#closing !== undefined,
      });
    } catch (error) {
      this.#fault = (error as Error).message;
    }
    await this.close();
  }

  #receive(message: Record<string, unknown> | undefined, line: string): void {
    if (message !== undefined && "jsonrpc" in message && isReadable(message)) {
      this.#unreadable.received(message);
      if (this.#early.takeFromProgram(message)) return;
      return this.onmessage?.(message as unknown as JSONRPCMessage);
    }
    const answer = this.#unreadable.answerTo(line);
    if (answer !== undefined) this.onmessage?.(answer as unknown as JSONRPCMessage);
    // The line is other output of the program.
    this.#tail.add(new TextEncoder().encode(`${line}\n`));
  }

  async #readStderr(output: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of output) this.#tail.add(chunk.slice());
    } catch { /* The output so far is kept. */ }
  }
}

/** The process of a session's shell: it answers the calls that its keeper passes on. */

import { CallError, toolFailure } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { ByteLines } from "../mcp/byte_lines.ts";
import { birthOf } from "../sandbox/executors/process.ts";
import { ProgramHost, type ProgramHostOptions } from "../sandbox/executors/program_host.ts";
import { ticksOfClock } from "./new_processes.ts";
import { BASH_ARGUMENTS, ShellDriver } from "./shell_driver.ts";
import {
  ACK,
  END_NEW,
  INTERRUPT,
  type Run,
  RUN_COMMAND,
  type RunAnswer,
  SHELL_EXIT,
} from "./shell_messages.ts";

/** The longest message, in bytes. */
const MAX_MESSAGE_BYTES = 2 ** 24;
/** The parts of the output that may be on their way to the caller. */
const MAX_UNREAD = 8;

/** The streams of the process. */
export interface ShellHostOptions extends Omit<ProgramHostOptions, "stays"> {
  /** The input, which has a JSON-RPC message on each line. */
  stdin: { read(buffer: Uint8Array): Promise<number | null> };
  /** Prints a line after the earlier ones. */
  print(line: string): Promise<void>;
  /** Aborted when a signal asks this process to end. */
  signal: AbortSignal;
}

type Message = Record<string, unknown>;

/**
 * Starts bash in the sandbox of the flags, and runs the commands of calls in it, one after the
 * other. Ends with its input, and with the shell. Returns the exit code.
 */
export async function serveShell(options: ShellHostOptions): Promise<number> {
  return await new ShellHost(options).serve();
}

/** Passes commands to the shell, and its output to the calls. */
class ShellHost {
  #queue: Run[] = [];
  #wake: () => void = () => {};
  #isClosed = false;
  #asked: (() => void) | undefined;
  #count = 0;
  #sinceBirth = ticksOfClock();
  #born = birthOf(Deno.pid);
  #shellPid = 0;

  constructor(readonly options: ShellHostOptions) {}

  async serve(): Promise<number> {
    const reading = this.#read();
    let driver: ShellDriver | CallError;
    let end = () => Promise.resolve();
    try {
      const host = await ProgramHost.open(this.options);
      const child = host.startOpen("bash", BASH_ARGUMENTS);
      this.#shellPid = child.pid;
      end = () => host.supervisor.endProgram(child.pid, host.sandbox?.endAll);
      driver = new ShellDriver(child, end);
      await driver.begin();
    } catch (error) {
      driver = toolFailure(error);
    }
    const code = await Promise.race([this.#runAll(driver), reading.then(() => SHELL_EXIT.known)]);
    this.#close();
    await end();
    return code;
  }

  /** Runs commands until the shell ends. Returns the exit code. */
  async #runAll(driver: ShellDriver | CallError): Promise<number> {
    for (;;) {
      const next = this.#next();
      if (driver instanceof CallError) {
        const { id } = await next;
        const { code, message, details } = driver;
        await this.#say({ id, error: { code: -32000, message, data: { code, details } } });
        return SHELL_EXIT.known;
      }
      const run = await Promise.race([next, driver.ended.then(() => undefined)]);
      if (run === undefined) return SHELL_EXIT.unexpected;
      await this.#progress(run, { begun: true });
      const since = this.#sinceBirth();
      const end = await driver.run(run.command, {
        take: (bytes) => this.#send(run, bytes),
        stop: run.stop.signal,
        endForeground: () => this.#endNew(since),
      });
      this.#queue.shift();
      await this.#say({ id: run.id, result: end satisfies RunAnswer });
      if (!end.isKept) return run.isGone ? SHELL_EXIT.abandoned : SHELL_EXIT.known;
    }
  }

  /** The first command that waits. It stays in the queue while it runs. */
  async #next(): Promise<Run> {
    while (this.#queue.length === 0) await new Promise<void>((resolve) => this.#wake = resolve);
    return this.#queue[0]!;
  }

  /** Sends a part of the output. Waits if the caller has not read enough of it. */
  async #send(run: Run, bytes: Uint8Array): Promise<void> {
    const isGone = () => run.stop.signal.aborted || this.#isClosed;
    while (run.unread >= MAX_UNREAD && !isGone()) {
      await new Promise<void>((resolve) => run.onRead = resolve);
    }
    run.unread++;
    await this.#progress(run, { output: bytes.toBase64() });
  }

  async #progress({ token: progressToken }: Run, more: Message): Promise<void> {
    await this.#say({ method: "notifications/progress", params: { progressToken, ...more } });
  }

  /** Asks the caller to end the processes of the shell that have started since then. */
  async #endNew(since: number): Promise<void> {
    const done = new Promise<void>((resolve) => this.#asked = resolve);
    const params = { host: Deno.pid, born: this.#born, shell: this.#shellPid, since };
    await this.#say({ id: `end-${this.#count++}`, method: END_NEW, params });
    let timer: ReturnType<typeof setTimeout>;
    await Promise.race([done, new Promise<void>((resolve) => timer = setTimeout(resolve, 1_000))]);
    clearTimeout(timer!);
  }

  async #say(message: Message): Promise<void> {
    await this.options.print(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async #read(): Promise<void> {
    const { stdin, signal } = this.options;
    const lines = new ByteLines(MAX_MESSAGE_BYTES);
    const buffer = new Uint8Array(64 * 1024);
    const aborted = new Promise<null>((resolve) => {
      signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    for (;;) {
      const count = await Promise.race([stdin.read(buffer), aborted]);
      if (count === null) return;
      for (const line of lines.add(buffer.subarray(0, count))) {
        const message: unknown = JSON.parse(new TextDecoder().decode(line));
        if (isObject(message)) this.#take(message);
      }
    }
  }

  #take({ id, method, params }: Message): void {
    const given = isObject(params) ? params : {};
    if (method === undefined) return this.#asked?.();
    if (method === RUN_COMMAND) {
      const { run, command, _meta: meta } = given;
      this.#queue.push({
        ...{ id, name: String(run), command: String(command), unread: 0, onRead() {} },
        ...{ token: isObject(meta) ? meta["progressToken"] : undefined },
        ...{ stop: new AbortController(), isGone: false },
      });
      return this.#wake();
    }
    const isGone = method === "notifications/cancelled";
    const run = this.#queue.find(({ id, name }) =>
      isGone ? id === given["requestId"] : name === given["run"]
    );
    if (run === undefined) return;
    run.isGone ||= isGone;
    if (method === ACK) {
      run.unread--;
      run.onRead();
    } else if (isGone || method === INTERRUPT) this.#stop(run);
  }

  /** Stops a command, or takes it from the queue if it has not begun. */
  #stop(run: Run): void {
    run.stop.abort();
    run.onRead();
    const at = this.#queue.indexOf(run);
    if (at <= 0) return;
    this.#queue.splice(at, 1);
    void this.#say({ id: run.id, result: { code: 130, signal: null, isKept: true } });
  }

  #close(): void {
    this.#isClosed = true;
    for (const run of this.#queue) run.onRead();
  }
}

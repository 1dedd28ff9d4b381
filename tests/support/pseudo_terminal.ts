import xterm from "@xterm/headless";
import { executable, type Result, temporaryDirectory } from "./executable.ts";
import { isAlive } from "./processes.ts";
import { until } from "./wait.ts";

/** Whether this machine can give a program a terminal. If not, the reason is printed. */
export const hasTerminals = can("script", "--version") && can("stty", "--version");
if (!hasTerminals) {
  const reason = "Tests of the terminal are skipped: this machine has no script or no stty\n";
  Deno.stderr.writeSync(new TextEncoder().encode(reason));
}

function can(program: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** How a session is started. */
export interface SessionOptions {
  /** The name of the call, by default `AskUserQuestion`. */
  name?: string;
  /** The call's arguments. */
  args: Record<string, unknown>;
  /** The flags, by default `-A`. */
  flags?: readonly string[];
  /** A program with arguments that starts the executable. */
  before?: string;
  /** The terminal's size. */
  size?: { columns: number; rows: number };
  /** More variables of the environment. */
  env?: Record<string, string>;
}

/** The result of a session. */
export interface Outcome extends Result {
  /** The exit code. */
  exit: number;
  /** The first block's text. */
  text: string;
  /** The settings of the terminal before and after the session. */
  modes: { before: string; after: string };
}

/**
 * The executable on a new terminal. The test reads the screen and presses keys. The call comes from a
 * file, and the result is written to a file.
 */
export class TerminalSession implements AsyncDisposable {
  #directory = temporaryDirectory();
  #terminal: xterm.Terminal;
  #child: Deno.ChildProcess;
  #keys: WritableStreamDefaultWriter<Uint8Array>;
  #drawn: Promise<void>;
  /** All that was written to the screen. */
  written = "";

  constructor(
    { name = "AskUserQuestion", args, flags = ["-A"], before = "", size, env }: SessionOptions,
  ) {
    const { columns, rows } = size ?? { columns: 80, rows: 24 };
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const path = this.#directory.path;
    Deno.writeTextFileSync(`${path}/call.json`, JSON.stringify({ name, arguments: args }));
    Deno.writeTextFileSync(
      `${path}/session.sh`,
      `cd '${path}'
      stty cols ${columns} rows ${rows}
      tty > terminal
      stty -a > before
      trap : INT
      # The shell becomes the program, so both have the same process id.
      sh -c 'echo $$ > pid; exec "$0" "$@"' ${before} '${executable}' ${flags.join(" ")} \\
        < call.json > result.json
      echo $? > exit
      stty -a > after`,
    );
    this.#child = new Deno.Command("script", {
      args: ["-qec", `sh '${path}/session.sh'`, "/dev/null"],
      env: { TERM: "xterm-256color", NO_COLOR: "", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#keys = this.#child.stdin.getWriter();
    this.#drawn = this.#draw();
  }

  async #draw(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stdout) {
      this.written += decoder.decode(bytes, { stream: true });
      await new Promise<void>((done) => this.#terminal.write(bytes, done));
    }
  }

  /** The lines of the screen and of the scrollback, up to the last line that is not empty. */
  lines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)!.translateToString(true),
    );
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** The lines as one text. */
  text(): string {
    return this.lines().join("\n");
  }

  /** The text before the cursor in its line. */
  beforeCursor(): string {
    const { active } = this.#terminal.buffer;
    const line = active.getLine(active.baseY + active.cursorY)!;
    return line.translateToString(false, 0, active.cursorX);
  }

  /** Waits until the screen shows `wanted`. */
  async sees(wanted: string | RegExp): Promise<void> {
    await this.shows(() => {
      const text = this.text();
      return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
    }, String(wanted));
  }

  /** Waits until `isTrue` returns true. The error names `what`. */
  async shows(isTrue: () => boolean, what = "the expected text"): Promise<void> {
    if (await until(isTrue)) return;
    throw new Error(`The screen never showed ${what}; it shows:\n${this.text()}`);
  }

  /** Presses keys. */
  async press(keys: string): Promise<void> {
    await this.#keys.write(new TextEncoder().encode(keys));
  }

  /** Presses a key's bytes, which may be a part of a character. */
  async pressBytes(bytes: readonly number[]): Promise<void> {
    await this.#keys.write(new Uint8Array(bytes));
  }

  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    const terminal = this.#read("terminal");
    const { success } = new Deno.Command("stty", {
      args: ["-F", terminal, "cols", String(columns), "rows", String(rows)],
    }).outputSync();
    if (!success) throw new Error("Cannot resize the terminal");
  }

  /** Sends a signal to the program. */
  signal(signal: Deno.Signal): void {
    Deno.kill(Number(this.#read("pid")), signal);
  }

  /** Closes the terminal while the program runs, waits for its end and returns its result. */
  async hangUp(): Promise<Result> {
    const pid = Number(this.#read("pid"));
    this.#child.kill("SIGKILL");
    await this.shows(() => !isAlive(pid), "the end of the program");
    return JSON.parse(this.#read("result.json"));
  }

  /** Waits for the end. */
  async end(): Promise<Outcome> {
    let hasEnded = false;
    this.#child.status.then(() => void (hasEnded = true));
    await this.shows(() => hasEnded, "the end");
    await this.#drawn;
    const result: Result = JSON.parse(this.#read("result.json"));
    const modes = { before: this.#read("before"), after: this.#read("after") };
    const text = result.content[0]?.text ?? "";
    return { ...result, exit: Number(this.#read("exit")), text, modes };
  }

  #read(name: string): string {
    return Deno.readTextFileSync(`${this.#directory.path}/${name}`).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch { /* It has ended. */ }
    await this.#keys.close().catch(() => {});
    await this.#child.status;
    await this.#drawn;
    this.#terminal.dispose();
    this.#directory[Symbol.dispose]();
  }
}

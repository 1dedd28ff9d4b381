/** The executable with `submit`: lines go in, and result lines come out. */
import {
  executable,
  type OtherProgram,
  type Result,
  type Run,
  toolcall,
} from "../../../support/executable.ts";

/** A result line in the default format. */
export type ResultLine = Result & { id: string | number };

/** A call of Read, which is the cheapest. */
export const readCall = (path: string, more: Record<string, unknown> = {}) => ({
  ...more,
  name: "Read",
  arguments: { file_path: path },
});

/** A call of Bash. */
export const bashCall = (command: string, more: Record<string, unknown> = {}) => ({
  ...more,
  name: "Bash",
  arguments: { command },
});

/** One line of the input. A string stays as it is. */
export function lineOf(line: unknown): string {
  return `${typeof line === "string" ? line : JSON.stringify(line)}\n`;
}

/** Submits lines, and returns the run with its parsed result lines. */
export async function submit(
  lines: readonly unknown[],
  { flags = ["-A"], ...options }: {
    flags?: string[];
    cwd?: string;
    env?: Record<string, string>;
    program?: OtherProgram;
  } = {},
): Promise<Run & { results: ResultLine[] }> {
  const run = await toolcall(["submit", ...flags], {
    ...options,
    stdin: lines.map(lineOf).join(""),
  });
  return { ...run, results: resultsIn(run.stdout) };
}

/** The values in the lines of a text. Throws when a line is not JSON. */
export function resultsIn(text: string): ResultLine[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error(`The last line is cut: ${text}`);
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** A running `submit`, which is given lines one by one. */
export class RunningSubmit implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  /** The unfinished line. */
  #text = "";
  /** The lines that were read and not returned yet, the latest first. */
  #lines: string[] = [];

  constructor(flags: string[] = ["-A"], options: { cwd?: string } = {}) {
    this.child = new Deno.Command(executable, {
      args: ["submit", ...flags],
      ...options,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.child.stdin.getWriter();
    this.#output = this.child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Gives it lines. */
  async send(...lines: readonly unknown[]): Promise<void> {
    await this.#input.write(new TextEncoder().encode(lines.map(lineOf).join("")));
  }

  /** Waits for its next result line. Throws at the end. */
  async next(): Promise<ResultLine> {
    while (this.#lines.length === 0) {
      const { value, done } = await this.#output.read();
      if (done) throw new Error(`No more results come: ${this.#text}`);
      const lines = (this.#text + value).split("\n");
      this.#text = lines.pop()!;
      this.#lines = lines.reverse();
    }
    return JSON.parse(this.#lines.pop()!);
  }

  /** Waits for its end, and returns the exit code and the other results. */
  async end(): Promise<{ code: number; results: ResultLine[] }> {
    for (;;) {
      const { value, done } = await this.#output.read();
      if (done) break;
      this.#text += value;
    }
    const { code } = await this.child.status;
    const earlier = this.#lines.reverse().map((line) => JSON.parse(line));
    return { code, results: [...earlier, ...resultsIn(this.#text)] };
  }

  /** Ends the input. */
  async close(): Promise<void> {
    await this.#input.close();
  }

  /** Closes its output, as a reader that has enough. */
  async closeOutput(): Promise<void> {
    await this.#output.cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await this.#input.close().catch(() => {});
    await this.#output.cancel().catch(() => {});
    await this.child.status;
  }
}

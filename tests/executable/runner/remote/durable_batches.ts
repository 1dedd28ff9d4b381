/** Durable batches of the fault tests: their calls, their workers, and the result of each call. */
import { expect } from "@std/expect";
import { executable, toolcall } from "../../../support/executable.ts";
import type { Fault } from "../../../support/fault_proxy.ts";
import { RunningWorker, until, within } from "../../../support/nats_server.ts";
import { bashCall, lineOf, type ResultLine, resultsIn } from "../submit/submitted.ts";

/** Submits durable calls, and waits for all results. */
export async function submitDurably(
  url: string,
  lines: readonly unknown[],
  flags: readonly string[] = [],
): Promise<{ code: number; stderr: string; results: ResultLine[] }> {
  const args = ["submit", `--nats=${url}`, "--durable", ...flags];
  const run = await toolcall(args, { stdin: lines.map(lineOf).join("") });
  return { ...run, results: resultsIn(run.stdout) };
}

/** The code of a failed result, or `ok`. */
export const codeOf = (result: ResultLine) => result._meta?.["toolcall/error"]?.code ?? "ok";

/** Calls that each append a line to a file. */
export const appends = (file: string, count: number) =>
  Array.from({ length: count }, (_, at) => bashCall(`echo ${at} >> ${file}`, { id: `c${at}` }));

/** How often each line is in a file. A file that is not there has no lines. */
export function countLines(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  let text = "";
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  for (const line of text.split("\n").slice(0, -1)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Calls that each add a line to a file of their own. They need no program, so they are quick. */
export class Edits {
  /** The calls, with the ids `c0`, `c1` and so on. */
  readonly lines: unknown[];

  /** Writes the files into a directory. */
  constructor(readonly directory: string, readonly count: number) {
    this.lines = Array.from({ length: count }, (_, at) => {
      const file_path = `${directory}/${at}`;
      Deno.writeTextFileSync(file_path, "end\n");
      const change = { file_path, old_string: "end", new_string: "begun\nend" };
      return { id: `c${at}`, name: "Edit", arguments: change };
    });
  }

  /** How often the call with an id was begun and took effect. */
  begun(id: string | number): number {
    const text = Deno.readTextFileSync(`${this.directory}/${String(id).slice(1)}`);
    return text.split("begun\n").length - 1;
  }

  /**
   * Checks that every call has one result, and that none took effect twice. Each call that succeeded
   * took effect, and each other one has the code `interrupted`. Returns the number of those.
   */
  check(results: readonly ResultLine[]): number {
    expect(new Set(results.map(({ id }) => id)).size).toBe(this.count);
    expect(results.length).toBe(this.count);
    let interrupted = 0;
    for (const result of results) {
      const [begun, code] = [this.begun(result.id), codeOf(result)];
      if (code === "ok") expect({ id: result.id, begun }).toEqual({ id: result.id, begun: 1 });
      else {
        expect({ id: result.id, code }).toEqual({ id: result.id, code: "interrupted" });
        expect(begun).toBeLessThanOrEqual(1);
        interrupted++;
      }
    }
    return interrupted;
  }
}

/** A running `submit`, whose results are counted as they come. */
export class RunningBatch implements AsyncDisposable {
  /** The results so far. */
  readonly results: ResultLine[] = [];
  readonly child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #read: Promise<void>;

  /** Starts it. Its input stays open until {@link end}. */
  constructor(url: string, flags: readonly string[] = ["--durable"]) {
    this.child = new Deno.Command(executable, {
      args: ["submit", `--nats=${url}`, ...flags],
      ...{ stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    this.#writer = this.child.stdin.getWriter();
    this.#read = this.#collect();
  }

  /** Gives it calls. */
  async send(lines: readonly unknown[]): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(lines.map(lineOf).join("")));
  }

  /** Resolves when so many results are there. */
  async until(count: number): Promise<void> {
    await until(() => this.results.length >= count);
  }

  /** Ends the input, and waits for the other results. Returns the exit code. */
  async end(): Promise<number> {
    await this.#writer.close();
    await within(this.#read);
    return (await within(this.child.status)).code;
  }

  async #collect(): Promise<void> {
    let rest = "";
    for await (const part of this.child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + part).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.results.push(JSON.parse(line));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.child.kill("SIGKILL");
    } catch { /* It has ended. */ }
    await this.#writer.close().catch(() => {});
    await this.#read.catch(() => {});
    await this.child.status;
  }
}

/** A number of workers. Another one is started for each that is killed. */
export class Fleet implements AsyncDisposable {
  /** The number of workers that were killed. */
  deaths = 0;
  readonly #workers: RunningWorker[] = [];
  readonly #kept: Promise<void>[] = [];
  #isEnded = false;

  private constructor(
    readonly url: string,
    readonly flags: readonly string[],
    readonly nextFault: () => Fault | undefined,
  ) {}

  /**
   * Starts `size` workers. `nextFault` gives each new worker the step at which it is killed, such as
   * `run:25`, or `undefined` for none.
   */
  static async start(
    url: string,
    size: number,
    { flags = ["-A", "--durable", "--jobs=2"], nextFault = () => undefined }: {
      flags?: readonly string[];
      nextFault?: () => Fault | undefined;
    } = {},
  ): Promise<Fleet> {
    const fleet = new Fleet(url, flags, nextFault);
    for (let at = 0; at < size; at++) {
      await fleet.#begin(at);
      fleet.#kept.push(fleet.#keep(at));
    }
    return fleet;
  }

  /** Kills a worker at random. */
  kill(): void {
    const worker = this.#workers[Math.floor(Math.random() * this.#workers.length)]!;
    try {
      worker.child.kill("SIGKILL");
    } catch { /* It has just died. */ }
  }

  async #begin(at: number): Promise<void> {
    const fault = this.nextFault();
    this.#workers[at] = await RunningWorker.start(this.url, this.flags, { fault });
  }

  async #keep(at: number): Promise<void> {
    for (;;) {
      await this.#workers[at]!.child.status;
      await this.#workers[at]!.end();
      if (this.#isEnded) return;
      this.deaths++;
      await this.#begin(at);
      if (this.#isEnded) await this.#workers[at]!.end("SIGKILL");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    for (const worker of this.#workers) await worker.end("SIGKILL");
    await Promise.all(this.#kept);
  }
}

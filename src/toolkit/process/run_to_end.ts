import { concat } from "@std/bytes/concat";
import type { ProgramOutput } from "../../base/program_output.ts";
import type { RunningProgram } from "../../runner/registry/tool_context.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { truncate } from "../../base/text/truncate.ts";

/** The time that pipes may stay open after the program's own end, in milliseconds. */
const DRAIN_MS = 1_400;

/** The end of a program. */
export interface ExitStatus {
  /** Its exit code. */
  code: number;
  /** The signal that ended it, if one did. */
  signal: string | null;
  /** True if it was ended because the call was stopped. */
  interrupted: boolean;
}

/**
 * Gives a program's output to `stdout` and `stderr`, and leaves stderr unread without `stderr`.
 * Waits for its end at most until `signal` is aborted. Waits for processes that it started only a
 * short time after that. Processes that still run then are ended. `follow` gets the last line of
 * stdout, at most once a second.
 */
export async function runToEnd(
  program: RunningProgram,
  { signal, stdout, stderr, follow }: {
    signal: AbortSignal;
    stdout: (chunk: Uint8Array) => void;
    stderr?: (chunk: Uint8Array) => void;
    follow?: ((line: string) => void) | undefined;
  },
): Promise<ExitStatus> {
  using lastLine = follow && new LastLine(follow);
  const take = (chunk: Uint8Array) => {
    stdout(chunk);
    lastLine?.add(chunk);
  };
  const drained = [
    drain(program.stdout, take),
    ...(stderr === undefined ? [] : [drain(program.stderr, stderr)]),
  ];
  const allDrained = Promise.all(drained.map(({ done }) => done));
  const interrupted = await Promise.race([program.status.then(() => false), aborted(signal)]);
  if (interrupted) await program.end();
  const status = await program.status;
  const isDrained = () => Promise.race([allDrained, aborted(AbortSignal.timeout(DRAIN_MS))]);
  await isDrained();
  await program.end();
  // Now the pipes end by themselves. On a busy machine their content may not have been read yet.
  await isDrained();
  await Promise.all(drained.map(({ cancel }) => cancel()));
  await allDrained;
  return { ...status, interrupted };
}

/** Reads an output. It is `done` when every holder has closed the pipe, or it is cancelled. */
function drain(output: ProgramOutput, take: (chunk: Uint8Array) => void) {
  const done = (async () => {
    for (let chunk = await output.read(); chunk; chunk = await output.read()) take(chunk);
  })();
  return { done, cancel: () => output.cancel() };
}

function aborted(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(true);
    signal.addEventListener("abort", () => resolve(true), { once: true });
  });
}

/** The shortest time between two reported lines, in milliseconds. */
const INTERVAL_MS = 1_000;
/** The part of the output's end that is kept, in bytes. */
const KEPT_BYTES = 4_096;
/** The longest line that is reported, in characters. */
const MAX_LINE = 200;

/** A control sequence of ECMA-48, which moves the cursor, erases or colours. */
// deno-lint-ignore no-control-regex
const CONTROL_SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** Reports the last complete line of a program's output while it runs, at most once a second. */
class LastLine implements Disposable {
  #end = new Uint8Array(0);
  #reported = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `report` gets each line as text that is safe for a terminal, cut to 200 characters. */
  constructor(readonly report: (line: string) => void) {}

  /** Takes the next bytes of the output. */
  add(chunk: Uint8Array): void {
    this.#end = concat([this.#end, chunk]).slice(-KEPT_BYTES);
    this.#timer ??= setTimeout(() => this.#reportLine(), INTERVAL_MS);
  }

  /** Stops reporting. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #reportLine(): void {
    this.#timer = undefined;
    // A progress bar ends its lines with a carriage return. The last part is incomplete.
    const text = new TextDecoder().decode(this.#end).replace(CONTROL_SEQUENCE, "");
    const line = text.split(/[\r\n]+/).slice(0, -1).findLast((each) => each.trim() !== "");
    if (line === undefined || line === this.#reported) return;
    this.#reported = line;
    this.report(truncate(escapeControls(line.trim()), MAX_LINE));
  }
}

import type { RunningProgram } from "../../runner/registry/tool_context.ts";
import { LastLine } from "./last_line.ts";

/** How long pipes may stay open after the program's own end, in milliseconds. */
const DRAIN_MS = 1_400;

/** How a program ended. */
export interface Ended {
  /** Its exit code. */
  code: number;
  /** The signal that ended it, if one did. */
  signal: string | null;
  /** Whether it was ended because the call was. */
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
): Promise<Ended> {
  using lastLine = follow && new LastLine(follow);
  const take = (chunk: Uint8Array) => {
    stdout(chunk);
    lastLine?.add(chunk);
  };
  const drained = [
    drain(program.stdout, take),
    ...(stderr === undefined ? [] : [drain(program.stderr, stderr)]),
  ];
  const interrupted = await Promise.race([program.status.then(() => false), aborted(signal)]);
  if (interrupted) await program.end();
  const [status] = await Promise.all([program.status, letGo(program, drained)]);
  return { ...status, interrupted };
}

/** An output on its way: `done` when every holder of the pipe has let go, or it is cancelled. */
interface Drained {
  done: Promise<void>;
  cancel(): Promise<void>;
}

function drain(stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Drained {
  const reader = stream.getReader();
  const done = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      take(value);
    }
  })();
  return { done, cancel: () => reader.cancel() };
}

/** Waits for the end of the output, not for long after the program's own, and ends what is left. */
async function letGo(program: RunningProgram, drained: readonly Drained[]): Promise<void> {
  await program.status;
  const all = Promise.all(drained.map(({ done }) => done));
  await Promise.race([all, aborted(AbortSignal.timeout(DRAIN_MS))]);
  await program.end();
  await Promise.all(drained.map((each) => each.cancel()));
  await all;
}

function aborted(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(true);
    signal.addEventListener("abort", () => resolve(true), { once: true });
  });
}

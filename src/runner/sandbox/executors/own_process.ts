/** Starts other processes of this program, which answer under the same flags. */

import { pathRules } from "../../../base/fs/path_rules.ts";
import type { Program } from "../../program.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { callersEnvironment } from "./environment.ts";
import { openKernel, withholdDescriptors } from "../linux/kernel.ts";
import { signalProcess } from "./spawn.ts";
import { startFailure } from "./start_failure.ts";
import { ownEnvironment, ownVariable } from "../../own_environment.ts";

/** The most that is read of another process's output, in characters. */
const MAX_OUTPUT = 100_000_000;
/** The time that a process has to end after TERM, in milliseconds. */
const END_MS = 3_000;
/** The time that a process has to begin, in milliseconds. */
const BEGIN_MS = 60_000;

/** The command that starts this program. */
export function ownCommand(
  { directory, isBundled }: Pick<Program, "directory" | "isBundled">,
): [string, ...string[]] {
  const executable = ownVariable("executable");
  if (executable !== undefined) return [pathRules.resolve(Deno.cwd(), executable)];
  if (isBundled) return [Deno.execPath()];
  return [Deno.execPath(), "run", "--allow-all", "--quiet", `${directory}/main.ts`];
}

/**
 * Starts a process that outlives this one, in a new session. Gives it `input` and returns the first
 * line that it prints. Until then, aborting `signal` ends the process. Throws `unavailable` with
 * `advice`, and `cancelled` when it was aborted.
 */
export async function startDetached(
  [path, ...args]: readonly [string, ...string[]],
  { input, signal, advice = "omit run_in_background" }: {
    input: string;
    signal: AbortSignal;
    advice?: string;
  },
): Promise<string> {
  const child = spawnOwn(path, args, { detached: true });
  child.unref();
  const stop = AbortSignal.any([signal, AbortSignal.timeout(BEGIN_MS)]);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  // This process stops reading in any case, even when the other one does not end.
  stop.addEventListener("abort", () => reader.cancel().catch(() => {}), { once: true });
  await give(child, input);
  let line = "";
  while (!line.includes("\n")) {
    const { value, done } = await reader.read();
    if (done || line.length > MAX_OUTPUT) break;
    line += value;
  }
  if (line.includes("\n")) return line.slice(0, line.indexOf("\n"));
  signalProcess(child.pid, "SIGTERM");
  if (signal.aborted) throw new CallError("cancelled", "Cancelled before the task began");
  const why = `it ended without a message; ${advice}`;
  throw new CallError("unavailable", `Cannot start ${quote(path)} in the background: ${why}`);
}

/**
 * Runs a process to its end: gives it `input`, and `env` besides the caller's environment, and
 * returns what it prints. `takeLine` gets the first lines as they come, and returns whether it took
 * the line. Lines that it took are not returned. After the first line that it left it gets no more.
 * Aborting `signal` ends the process, and so does the end of this one. Throws `unavailable` when it
 * cannot be started or prints too much.
 */
export async function runOwnProcess(
  [path, ...args]: readonly [string, ...string[]],
  { input, env, signal, takeLine }: {
    input: string;
    env: Record<string, string>;
    signal: AbortSignal;
    takeLine?: (line: string) => boolean;
  },
): Promise<string> {
  const own = ownEnvironment({ parent: String(Deno.pid) });
  const child = spawnOwn(path, args, { env: { ...env, ...own } });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    signalProcess(child.pid, "SIGTERM");
    timer = setTimeout(() => signalProcess(child.pid, "SIGKILL"), END_MS);
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    await give(child, input);
    let text = "";
    let isTaken = takeLine !== undefined;
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      // A result can be one line of megabytes, so only a part that ends a line is searched.
      while (isTaken && part.includes("\n") && text.includes("\n")) {
        const end = text.indexOf("\n");
        isTaken = takeLine!(text.slice(0, end));
        if (isTaken) text = text.slice(end + 1);
      }
      if (text.length <= MAX_OUTPUT) continue;
      end();
      throw new CallError("unavailable", "Cannot read the result of a call: it is too long");
    }
    await child.status;
    return text;
  } finally {
    signal.removeEventListener("abort", end);
    clearTimeout(timer);
  }
}

/**
 * Starts a process of this program, with `env` besides the caller's environment. It gets no open
 * descriptor of this one but its standard streams. Throws `unavailable`.
 */
export function spawnOwn(
  path: string,
  args: string[],
  { detached = false, env = {} }: { detached?: boolean; env?: Record<string, string> },
): Deno.ChildProcess {
  const kernel = openKernel();
  // One of them may be a lock of the caller.
  if (kernel !== undefined) withholdDescriptors(kernel);
  kernel?.close();
  try {
    return new Deno.Command(path, {
      args,
      clearEnv: true,
      env: { ...callersEnvironment(), ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      detached,
    }).spawn();
  } catch (error) {
    throw startFailure(path, error);
  }
}

/**
 * Gives the process its input. A process that ends before it has read it says why on its output.
 */
async function give(child: Deno.ChildProcess, input: string): Promise<void> {
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
}

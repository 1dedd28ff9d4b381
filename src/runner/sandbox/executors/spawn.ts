/** Starts programs and ends them. */

import { delay } from "@std/async/delay";
import { join } from "@std/path/posix/join";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { isDirectory } from "../policy/paths.ts";
import { openOutputFile } from "./private_directory.ts";
import { startFailure } from "./start_failure.ts";
import type { ProgramOutput } from "../../../base/program_output.ts";
import type { RunningProgram } from "../../registry/tool_context.ts";
import type { StartedProgram } from "../linux/native_programs.ts";
import type { IgnoredProgram } from "../policy/programs.ts";

/** The time that programs may take to end after TERM, in milliseconds. */
const TERM_MS = 500;

/**
 * Starts a program, by its path and its arguments, in a new session and a new process group. It gets
 * `stdin`, or else none, and only `env` as its environment. Throws `unavailable`.
 */
export function start(
  [path = "", ...args]: readonly string[],
  { cwd, env, stdin }: { cwd: string; env: Record<string, string>; stdin?: string | undefined },
): StartedProgram {
  try {
    const child = new Deno.Command(path, {
      args,
      cwd,
      clearEnv: true,
      env,
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
    // A program may end before it has read all.
    if (stdin !== undefined) new Blob([stdin]).stream().pipeTo(child.stdin).catch(() => {});
    return programOfRuntime(child);
  } catch (error) {
    throw startFailure(path, error, closedDirectory(cwd));
  }
}

/** A child of the runtime as a program that was started. */
export function programOfRuntime(child: Deno.ChildProcess): StartedProgram {
  const status = child.status.then(({ code, signal }) => ({ code, signal }));
  const [stdout, stderr] = [outputOf(child.stdout), outputOf(child.stderr)];
  return { pid: child.pid, stdout, stderr, status };
}

function outputOf(stream: ReadableStream<Uint8Array>): ProgramOutput {
  const reader = stream.getReader();
  return { read: async () => (await reader.read()).value, cancel: () => reader.cancel() };
}

/**
 * Why a directory prevents a start: the system's error does not tell its fault from a program's.
 */
function closedDirectory(cwd: string): string | undefined {
  try {
    // Any name works here: only a process that may enter the directory learns that the name is
    // missing.
    Deno.lstatSync(`${cwd}/.toolcall`);
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && isDirectory(cwd)) return undefined;
    return `the working directory ${quote(cwd)} cannot be entered: ${osErrorMessage(error)}`;
  }
}

/** A program that was started, as tools know it. */
export function runningProgram(
  child: StartedProgram,
  { end, openOutput = openOutputFile }: {
    end: () => Promise<void>;
    openOutput?: RunningProgram["openOutput"];
  },
): RunningProgram {
  return {
    ...child,
    end,
    openOutput,
  };
}

/** The failure of a call whose program is missing, or was ignored as untrusted. */
export function missingProgram(program: string, ignored?: IgnoredProgram): CallError {
  const why = ignored === undefined
    ? "no such program in PATH; install it or correct PATH"
    : `${whyIgnored(ignored)}; grant less with --allow-write, or install it elsewhere`;
  return new CallError("unavailable", `Cannot run ${quote(program)}: ${why}`, { program });
}

/** Says why a program is ignored. */
export function whyIgnored({ found, step }: IgnoredProgram): string {
  const what = found === step ? "it" : `${quote(step, 4096)} on the way to it`;
  return `${quote(found, 4096)} is ignored: ${what} is in a place that calls may write to`;
}

/** The path of a program that ships in `directory`, if it does. */
export function helperIn(directory: string, name: string): string | undefined {
  const path = join(directory, name);
  try {
    const info = Deno.statSync(path);
    return info.isFile && ((info.mode ?? 0) & 0o111) !== 0 ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Signals a process, or a group by its negative number; 0 only tests. Returns whether it exists.
 */
export function signalProcess(target: number, signal: Deno.Signal | 0): boolean {
  try {
    Deno.kill(target, signal as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends TERM to the group, and KILL half a second later to the remaining processes, by `signal`.
 * `reap` reaps ended processes that are children of this one.
 */
export async function endGroup(
  group: number,
  signal: (target: number, signal: "SIGTERM" | "SIGKILL" | 0) => boolean,
  reap: () => void,
): Promise<void> {
  reap();
  if (!signal(-group, "SIGTERM")) return;
  for (const end = Date.now() + TERM_MS; Date.now() < end;) {
    await delay(20);
    reap();
    if (!signal(-group, 0)) return;
  }
  signal(-group, "SIGKILL");
}

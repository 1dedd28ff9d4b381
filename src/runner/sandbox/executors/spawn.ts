/** Starts programs and ends them, and makes the files that they need. */

import { delay } from "@std/async/delay";
import { join } from "@std/path/posix/join";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { isDirectory, realPathIfAny } from "../policy/paths.ts";
import type { OutputFile, RunningProgram } from "../../registry/tool_context.ts";
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
): Deno.ChildProcess {
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
    return child;
  } catch (error) {
    const reason = closedDirectory(cwd) ?? (error as Error).message;
    throw new CallError("unavailable", `Cannot start ${quote(path)}: ${reason}`, { program: path });
  }
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
  child: Deno.ChildProcess,
  { end, openOutput = openOutputFile }: {
    end: () => Promise<void>;
    openOutput?: RunningProgram["openOutput"];
  },
): RunningProgram {
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    status: child.status.then(({ code, signal }) => ({ code, signal })),
    end,
    openOutput,
  };
}

/** A new file for a program's whole output, in a new directory that no other user can enter. */
export function openOutputFile(): OutputFile {
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-" });
  const path = `${directory}/output.txt`;
  const file = createPrivateFile(path);
  return {
    path,
    file,
    discard: () => {
      file.truncateSync(0);
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

/** Opens a new file for writing that only the user can read. */
function createPrivateFile(path: string): Deno.FsFile {
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
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
 * Sends TERM to the group, and KILL half a second later to the remaining processes. `reap` reaps
 * ended processes, if they are children of this one.
 */
export async function endGroup(group: number, reap = () => {}): Promise<void> {
  reap();
  if (!signalProcess(-group, "SIGTERM")) return;
  for (const end = Date.now() + TERM_MS; Date.now() < end;) {
    await delay(20);
    reap();
    if (!signalProcess(-group, 0)) return;
  }
  signalProcess(-group, "SIGKILL");
}

/** A directory for one call, which no other user can enter. */
export interface PrivateDirectory {
  /** Its real path. */
  path: string;
  /** The directory for temporary files, and the home of programs that may not read the caller's. */
  temporary: string;
  /** The file that takes a program's whole output; open for writing, and out of programs' reach. */
  output: OutputFile;
}

/** The real path of the directory where the caller keeps temporary files, if there is one. */
export function temporaryRootIfAny(): string | undefined {
  return realPathIfAny(Deno.env.get("TMPDIR") || "/tmp");
}

/**
 * Chooses the path of a private directory, under an unpredictable name, where the caller keeps
 * temporary files. It is not made yet, so that its remover can start first. Throws `unavailable`.
 */
export function choosePrivateDirectory(): string {
  return orUnavailable(() => {
    const root = Deno.realPathSync(Deno.env.get("TMPDIR") || "/tmp");
    const path = join(root, `toolcall-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`);
    if (path.includes("\n")) throw new Error(`its path contains a line break: ${quote(path)}`);
    return path;
  });
}

/** Makes the directory, at a path where nothing exists. Throws `unavailable`. */
export function makePrivateDirectory(path: string): PrivateDirectory {
  return orUnavailable(() => {
    const [temporary, output] = [`${path}/tmp`, `${path}/output.txt`];
    Deno.mkdirSync(path, { mode: 0o700 });
    Deno.mkdirSync(temporary, { mode: 0o700 });
    return { path, temporary, output: { path: output, file: createPrivateFile(output) } };
  });
}

function orUnavailable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new CallError(
      "unavailable",
      `Cannot make a private directory for the call: ${
        (error as Error).message
      }; set TMPDIR to a ` +
        `directory that you can write to`,
    );
  }
}

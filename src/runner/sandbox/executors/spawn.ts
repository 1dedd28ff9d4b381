import { join } from "@std/path/posix/join";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { isFolder } from "../policy/paths.ts";
import type { OutputFile, RunningProgram } from "../../registry/tool_context.ts";
import type { IgnoredProgram } from "../policy/programs.ts";

/**
 * Starts a program, by its path and its arguments, in a new session and a new process group. It has
 * no stdin, and only `env` as its environment. Throws `unavailable`.
 */
export function start(
  [path = "", ...args]: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Deno.ChildProcess {
  try {
    return new Deno.Command(path, {
      args,
      cwd,
      clearEnv: true,
      env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  } catch (error) {
    const reason = closedFolder(cwd) ?? (error as Error).message;
    throw new CallError("unavailable", `Cannot start ${quote(path)}: ${reason}`, { program: path });
  }
}

/**
 * The reason why a program cannot be started in a folder. The system's error does not tell a faulty
 * folder from a faulty program.
 */
function closedFolder(cwd: string): string | undefined {
  try {
    // Any name works here: only a process that may enter the folder learns that the name is
    // missing.
    Deno.lstatSync(`${cwd}/.toolcall`);
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && isFolder(cwd)) return undefined;
    return `the working directory ${quote(cwd)} cannot be entered: ${osErrorMessage(error)}`;
  }
}

/**
 * Starts a shell beside this process that runs `script` with `args` as `$1` and on. It ignores
 * signals to this process and gets nothing of its environment. It lives as long as the script does.
 * The end of its input shows that this process has ended.
 */
export function standBy(script: string, ...args: string[]): Deno.ChildProcess {
  const shell = new Deno.Command("/bin/sh", {
    args: ["-c", `trap '' HUP INT TERM\n${script}`, "toolcall-keeper", ...args],
    cwd: "/",
    clearEnv: true,
    // The part of PATH that only the system's administrator can write.
    env: { PATH: "/usr/bin:/bin" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  shell.unref();
  return shell;
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

/** A new file for a program's whole output, in a new folder that no other user can enter. */
export function openOutputFile(): OutputFile {
  const folder = Deno.makeTempDirSync({ prefix: "toolcall-" });
  const path = `${folder}/output.txt`;
  const file = createPrivateFile(path);
  return {
    path,
    file,
    discard: () => {
      file.truncateSync(0);
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** Opens a new file for writing that only the user can read. */
export function createPrivateFile(path: string): Deno.FsFile {
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
}

/** The failure of a call whose program is missing, or was ignored as untrusted. */
export function missingProgram(program: string, ignored?: IgnoredProgram): CallError {
  const why = ignored === undefined
    ? "no such program in PATH; install it or correct PATH"
    : `${whyIgnored(ignored)}; allow less with --allow-write, or install it elsewhere`;
  return new CallError("unavailable", `Cannot run ${quote(program)}: ${why}`, { program });
}

/** Says why a program is ignored. */
export function whyIgnored({ found, step }: IgnoredProgram): string {
  const what = found === step ? "it" : `${quote(step, 4096)} on the way to it`;
  return `${quote(found, 4096)} is passed over: ${what} lies where the flags let calls write`;
}

/** The path of a program that ships in `folder`, if it does. */
export function helperIn(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  try {
    const info = Deno.statSync(path);
    return info.isFile && ((info.mode ?? 0) & 0o111) !== 0 ? path : undefined;
  } catch {
    return undefined;
  }
}

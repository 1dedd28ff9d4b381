import { join } from "@std/path/posix/join";
import { CallError } from "../call_error.ts";
import type { RunningProgram } from "../registry/define.ts";
import { quote } from "../quote.ts";

/** What every program gets of the caller's environment. */
const BASE_ENVIRONMENT = ["PATH", "HOME", "LANG", "TERM", "TMPDIR"];

/** Variables that the head of the executable may have put aside, and those it sets itself. */
const PUT_ASIDE = /^(DENO|NODE)_|^(OTEL_DENO|RUST_LOG)$/;
const SET_BY_HEAD = ["DENO_DIR", "DENO_NO_UPDATE_CHECK"];

/** How long a group may take to end after TERM, in milliseconds. */
const TERM_MS = 500;

/**
 * Starts a program in a process group of its own, with no stdin, in `cwd`, and
 * with only the base environment and the variables that `env` names. Throws
 * `unavailable` when there is no such program.
 */
export function spawn(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: readonly string[] },
): RunningProgram {
  const names = [...BASE_ENVIRONMENT, ...env];
  const child = new Deno.Command(findProgram(program), {
    args: [...args],
    cwd,
    clearEnv: true,
    env: Object.fromEntries(names.flatMap((name) => {
      const value = callersVariable(name);
      return value === undefined ? [] : [[name, value]];
    })),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const status = child.status.then(({ code, signal }) => ({ code, signal }));
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    status,
    end: () => endGroup(child.pid),
  };
}

/**
 * A variable as the caller set it: the head of the self-extracting executable
 * puts aside those that would change the runtime.
 */
function callersVariable(name: string): string | undefined {
  const aside = PUT_ASIDE.test(name) ? Deno.env.get(`TOOLCALL_ENV_${name}`) : undefined;
  return aside ?? (SET_BY_HEAD.includes(name) ? undefined : Deno.env.get(name));
}

/** The path of a program that ships in `folder`, if it does. */
export function helperIn(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  return isProgram(path) ? path : undefined;
}

/** The program's path, from the absolute folders of `PATH`: a relative one could be anyone's. */
function findProgram(program: string): string {
  const folders = (Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
    .split(":");
  const found = program.startsWith("/")
    ? [program]
    : folders.filter((folder) => folder.startsWith("/")).map((folder) => join(folder, program));
  const path = found.find(isProgram);
  if (path !== undefined) return path;
  throw new CallError(
    "unavailable",
    `Cannot run ${quote(program)}: no such program in PATH; install it or correct PATH`,
    { program },
  );
}

function isProgram(path: string): boolean {
  try {
    const info = Deno.statSync(path);
    return info.isFile && ((info.mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** TERM for the group, KILL for what is left of it half a second later. */
async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  for (const end = Date.now() + TERM_MS; Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (!signalGroup(group, 0)) return;
  }
  signalGroup(group, "SIGKILL");
}

/** Whether there was anything left to signal. */
function signalGroup(group: number, signal: Deno.Signal | 0): boolean {
  try {
    Deno.kill(-group, signal as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

/** Other processes of the user's: whether they are there, and what they hold. */

import { delay } from "@std/async/delay";
import { lockIfAny } from "../../../base/error_code.ts";

/** How long programs may take to end after TERM, in milliseconds. */
const TERM_MS = 500;

/**
 * What tells a process from a later one of the same number: when it started, in the
 * kernel's ticks (proc_pid_stat(5), field 22). `undefined` when there is none; `""` where
 * the system does not say.
 */
export function birthOf(pid: number): string | undefined {
  if (Deno.build.os !== "linux") return "";
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name before it, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // One that has ended is there until its parent has looked.
    return /[ZX]/.test(fields[0]!) ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Signals a process, or a group by its negative number; 0 only looks. Tells whether there was one. */
export function signalProcess(target: number, signal: Deno.Signal | 0): boolean {
  try {
    Deno.kill(target, signal as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends TERM to the group, and KILL half a second later to the processes that are left. `reap`
 * takes note of ended processes, if they are children of this one.
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

/** Whether a process holds the lock of that file: the system lets go of it when the process ends. */
export function isLocked(path: string): boolean {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return false;
  }
  try {
    // A shared one, so that several who ask at once do not find each other.
    return lockIfAny(() => file.tryLockSync(false)) === false;
  } finally {
    file.close();
  }
}

/**
 * Makes a new file that only the user can read, and holds its lock, where the file system has
 * locks, until this process ends. `undefined` when another process was quicker to lock it; then
 * there is no file. Throws what the system says.
 */
export function createLocked(path: string): Deno.FsFile | undefined {
  const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  if (lockIfAny(() => file.tryLockSync(true))) return file;
  file.close();
  Deno.removeSync(path);
  return undefined;
}

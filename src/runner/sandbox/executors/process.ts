/** Functions for other processes of the user: whether they exist, and which locks they have. */

import { lockIfAny } from "../../../base/error_code.ts";

/**
 * The start time of a process, in the kernel's ticks (proc_pid_stat(5), field 22). It distinguishes
 * a process from a later one with the same number. `undefined` if no such process exists; `""` if
 * the system does not give the time.
 */
export function birthOf(pid: number): string | undefined {
  if (Deno.build.os !== "linux") return "";
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name is in parentheses and may contain any character, so the fields after it are read.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // An ended process stays in the list until its parent has waited for it.
    return /[ZX]/.test(fields[0]!) ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Whether a process has the lock of that file. The system releases it when the process ends. */
export function isLocked(path: string): boolean {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return false;
  }
  try {
    // A shared lock, so that several processes that test at once do not find each other's lock.
    return lockIfAny(() => file.tryLockSync(false)) === false;
  } finally {
    file.close();
  }
}

/**
 * Makes a new file that only the user can read, and locks it until this process ends, if the file
 * system has locks. `undefined` when another process was quicker to lock it; then the file is
 * removed. Throws the system's error.
 */
export function createLocked(path: string): Deno.FsFile | undefined {
  const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  if (lockIfAny(() => file.tryLockSync(true))) return file;
  file.close();
  Deno.removeSync(path);
  return undefined;
}

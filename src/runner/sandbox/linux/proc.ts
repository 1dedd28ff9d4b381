/** The file system of processes, which the sandbox needs. */

import { CallError } from "../../../base/errors.ts";
import { isThere } from "../policy/paths.ts";

/**
 * The state of /proc. `own`: it has this process under its own number. `other`: it counts processes
 * as another PID namespace does, or cannot be read. `missing`: it is not mounted.
 */
export function procState(): "own" | "other" | "missing" {
  if (!isThere("/proc/self")) return "missing";
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    // In the /proc of a namespace further out, a process has a number for each of the two.
    const [, pids] = /^NSpid:\s*(.*)$/m.exec(status) ?? /^Pid:\s*(.*)$/m.exec(status) ?? [];
    return pids === String(Deno.pid) ? "own" : "other";
  } catch {
    return "other";
  }
}

/**
 * Throws `unavailable` where /proc is not mounted. The sandbox names the files that it looks at
 * through /proc, and the runtime panics without it.
 */
export function requireProc(): void {
  if (Deno.build.os !== "linux") return;
  try {
    Deno.lstatSync("/proc/self");
    return;
  } catch (error) {
    // A Worker's permissions may not cover /proc. That does not show whether it is mounted.
    if (error instanceof Deno.errors.NotCapable) return;
  }
  throw new CallError(
    "unavailable",
    "Cannot enter the sandbox: /proc is not mounted; mount it (mount -t proc proc /proc)",
  );
}

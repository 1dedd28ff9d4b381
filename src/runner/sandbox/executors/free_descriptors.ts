/** The file descriptors that are left for a thread. The runtime ends the process if it gets none. */

import { CallError } from "../../../base/errors.ts";

/** A thread opens about a dozen files, and others may start at the same time. */
const NEEDED = 16;

let limit: number | undefined;

/** Whether a thread can be started, as far as the system tells. Only Linux does. */
export function hasFreeDescriptors(): boolean {
  if (Deno.build.os !== "linux") return true;
  try {
    limit ??= Number(
      /^Max open files\s+(\d+)/m.exec(Deno.readTextFileSync("/proc/self/limits"))?.[1],
    );
    return !(limit - [...Deno.readDirSync("/proc/self/fd")].length < NEEDED);
  } catch {
    return true;
  }
}

/** Throws `unavailable` if no thread can be started for want of file descriptors. */
export function requireFreeDescriptors(): void {
  if (hasFreeDescriptors()) return;
  throw new CallError(
    "unavailable",
    `Cannot start a thread for the call: toolcall may open ${limit} files, and fewer than ` +
      `${NEEDED} are left; raise the limit (ulimit -n), or send fewer calls at once`,
  );
}

/** The processes that a shell has started, as a process outside of its sandbox sees them. */

import { birthOf } from "../sandbox/executors/process.ts";
import { signalProcess } from "../sandbox/executors/spawn.ts";

/** The kernel's ticks in a second (`USER_HZ`), the unit of a process's start time. */
const TICKS = 100;

/**
 * Reads the clock of the start times of processes. Returns a function that continues it, also when
 * the file of the kernel is out of reach.
 */
export function ticksOfClock(): () => number {
  let uptime = 0;
  try {
    uptime = Number(Deno.readTextFileSync("/proc/uptime").split(" ")[0]);
  } catch { /* Then all processes count as new ones. */ }
  const at = performance.now();
  return () => Math.floor((uptime + (performance.now() - at) / 1_000) * TICKS);
}

/** The most processes that a command may leave behind. */
export const MAX_LEFT = 512;

/** Whether a process has more descendants than a command may leave behind. */
export function hasTooMany(pid: number): boolean {
  return descendantsOf(pid, MAX_LEFT + 1).length > MAX_LEFT;
}

/** The descendants of a process, at most `limit`. Empty if the system does not tell them. */
function descendantsOf(pid: number, limit = Infinity): number[] {
  const found: number[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of childrenOf(next)) {
      if (found.length >= limit) return found;
      found.push(child);
      waiting.push(child);
    }
  }
  return found;
}

/** The children of all threads of a process. */
function childrenOf(pid: number): number[] {
  try {
    const threads = [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => name);
    const texts = threads.map((id) => Deno.readTextFileSync(`/proc/${pid}/task/${id}/children`));
    return texts.join(" ").split(" ").filter((word) => word !== "").map(Number);
  } catch {
    // It has ended.
    return [];
  }
}

/** The descendants of a process, each with its start time. */
export function processesBelow(pid: number): ReadonlyMap<number, string | undefined> {
  return new Map(descendantsOf(pid).map((each) => [each, birthOf(each)]));
}

/**
 * Kills the descendants of a host that have started since then, but not its shell. `born` is the
 * start time of the host, by which it is known. `old` has the descendants at an earlier time, which
 * are spared: the start times are too coarse for a process that started just before.
 */
export function endNewProcesses(
  { host, born, shell, since, old }: {
    host: number;
    born: string;
    shell: number;
    since: number;
    old: ReturnType<typeof processesBelow>;
  },
): void {
  if (birthOf(host) !== born) return;
  for (const pid of descendantsOf(host)) {
    const birth = birthOf(pid);
    const isOld = pid === shell || Number(birth) < since || old.get(pid) === birth;
    if (!isOld) signalProcess(pid, "SIGKILL");
  }
}

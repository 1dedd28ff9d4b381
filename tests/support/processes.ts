/** The processes of this machine, from `/proc`, because small machines have no `ps`. */
import { birthOf } from "../../src/runner/sandbox/executors/process.ts";
import { until } from "./wait.ts";

/** Returns the processes whose command line contains `text`. */
export function processesWith(text: string): number[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      const line = Deno.readTextFileSync(`/proc/${Number(name)}/cmdline`);
      return line.includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Whether a process runs. A process that has ended may remain in the table for a while. */
export function isAlive(pid: number): boolean {
  if (Deno.build.os === "linux") return birthOf(pid) !== undefined;
  const ps = new Deno.Command("ps", { args: ["-o", "stat=", "-p", String(pid)] }).outputSync();
  return /^[^Z]/.test(new TextDecoder().decode(ps.stdout).trim());
}

/** Whether a process has the file at `path`, a real path, open. */
export function hasOpen(pid: number, path: string): boolean {
  const directory = `/proc/${pid}/fd`;
  return [...Deno.readDirSync(directory)].some(({ name }) => {
    try {
      return Deno.readLinkSync(`${directory}/${name}`) === path;
    } catch {
      return false;
    }
  });
}

/**
 * Returns seconds for `sleep`, far more than a test takes. They are random, so that
 * {@link processesWith} finds no process of another test or of another run.
 */
export function uniqueSeconds(): string {
  return `600.${crypto.getRandomValues(new Uint32Array(1))[0]}`;
}

/** Returns a command that does not end during a test, with {@link uniqueSeconds}. */
export function endlessSleep(): string {
  return `sleep ${uniqueSeconds()}`;
}

/** The number of looks, 10 ms apart, after which a process that does nothing counts as idle. */
const IDLE_LOOKS = 100;

/** Waits until a process uses no processor time for about a second. Linux only. */
export async function untilIdle(pid: number): Promise<void> {
  let [last, looks] = ["", 0];
  await until(() => {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const used = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13).join();
    looks = used === last ? looks + 1 : 0;
    last = used;
    return looks >= IDLE_LOOKS;
  });
}

/** Returns the ids of the threads of a process. */
export function threadsOf(pid: number): number[] {
  return [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => Number(name));
}

/** Whether a signal has stopped a process, with all its threads. */
export function isStopped(pid: number): boolean {
  try {
    return threadsOf(pid).every((thread) =>
      / T /.test(Deno.readTextFileSync(`/proc/${pid}/task/${thread}/stat`))
    );
  } catch {
    // A thread that has just ended was not stopped.
    return false;
  }
}

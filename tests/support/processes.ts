/** What runs on this machine, as `/proc` tells: slim machines have no `ps`. */
import { birthOf } from "../../src/runner/sandbox/executors/process.ts";

/** The processes whose command line holds `text`. */
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

/** Whether a process runs; one that has ended may stay in the table for a while. */
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

/** Whether it comes to hold within twenty seconds. */
export async function until(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return holds();
}

/** The numbers of the threads of a process. */
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

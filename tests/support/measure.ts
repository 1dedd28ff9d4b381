/**
 * The cost of work, without a clock. On a busy machine every clock runs late, but the processor
 * time of a process hardly changes. Tests compare one cost with another of the same run.
 */
import process from "node:process";

/** The processor time that this process uses while `work` runs, in milliseconds. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * The processor time of the child processes that this process waits for while `work` runs, in
 * milliseconds; a multiple of ten. It includes processes that the children waited for. Linux only
 * (`/proc/self/stat`, proc(5)).
 */
export async function childrenCpuOf(work: () => unknown): Promise<number> {
  const before = childrenCpu();
  await work();
  return childrenCpu() - before;
}

function childrenCpu(): number {
  const stat = Deno.readTextFileSync("/proc/self/stat");
  // The name of the program may contain blanks, so count from the parenthesis behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/**
 * The cost of `work` in units of a fixed task, which takes about 25 ms on a machine of 2024. The
 * units make a limit independent of the machine's speed.
 */
export async function unitsOf(work: () => unknown, measure = cpuOf): Promise<number> {
  unit ??= Math.min(await cpuOf(fixedTask), await cpuOf(fixedTask), await cpuOf(fixedTask));
  return await measure(work) / unit;
}

let unit: number | undefined;

function fixedTask(): void {
  let state = 1;
  const numbers = Array.from({ length: 100_000 }, () => {
    state = Math.imul(state, 1_103_515_245) + 12_345 | 0;
    return state;
  });
  numbers.sort((a, b) => a - b).map(String).join(",").split(",");
}

/**
 * The cost of `size` divided by the cost of a tenth of it: about 10 for linear work, and about 100 for
 * quadratic work. Both are measured three times, and the lowest costs count. A cost below one
 * millisecond counts as one millisecond, because shorter measurements are not exact.
 */
export async function growthOf(size: number, work: (size: number) => unknown): Promise<number> {
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < 3; round++) {
    small.push(await cpuOf(() => work(size / 10)));
    large.push(await cpuOf(() => work(size)));
  }
  return Math.min(...large) / Math.max(1, Math.min(...small));
}

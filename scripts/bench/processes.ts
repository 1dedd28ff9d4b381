/** Runs programs, and reads their memory and processor time from `/proc` (proc(5)). */
import { Missing, type Subject } from "./rows.ts";

/** A program to run once. */
export interface Program {
  command: readonly string[];
  stdin?: string | undefined;
  /** Variables to set. A value of `undefined` removes the variable. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  cwd?: string | undefined;
}

/** The bench gives up a program that takes longer, in milliseconds. */
const MAX_PROGRAM_MS = 300_000;

/** Variables that make a program slower, or that belong to the runtime of the bench itself. */
const REMOVED = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "DENO_V8_FLAGS", "V8_FLAGS"];

/** The user's environment without the variables that would change the figures. */
export function environmentFor(env: Program["env"] = {}): Record<string, string> {
  const all = {
    ...Deno.env.toObject(),
    ...Object.fromEntries(REMOVED.map((name) => [name])),
    ...env,
  };
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/**
 * Runs a program to its end, and returns how long that took, in milliseconds. Throws an `Error`
 * with the end of the program's output when it fails.
 */
export async function runProgram(
  program: Program,
  watch?: (pid: number) => void,
): Promise<number> {
  const [file, ...args] = program.command as [string, ...string[]];
  const env = environmentFor(program.env);
  const start = performance.now();
  const child = new Deno.Command(file, {
    args,
    env,
    clearEnv: true,
    ...program.cwd !== undefined && { cwd: program.cwd },
    stdin: program.stdin === undefined ? "null" : "piped",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(MAX_PROGRAM_MS),
  }).spawn();
  if (program.stdin !== undefined) {
    const stdin = child.stdin.getWriter();
    // A program that reads nothing may have ended already.
    await stdin.write(new TextEncoder().encode(program.stdin)).then(() => stdin.close())
      .catch(() => {});
  }
  watch?.(child.pid);
  const { code, success } = await child.status;
  const duration = performance.now() - start;
  if (!success) {
    const words = (await new Response(child.stderr).text()).trim();
    throw new Error(`exit ${code}: ${words.split("\n").at(-1)?.slice(0, 200) || file}`);
  }
  await child.stderr.cancel();
  return duration;
}

/** A subject whose figure is the time from the start of a program to its end, in milliseconds. */
export function timeOf(program: Program): Subject {
  return { unit: "ms", measure: () => runProgram(program) };
}

/** A subject whose figure is the peak memory of the process of a program, in MiB. */
export function peakOf(program: Program): Subject {
  requireProc();
  return {
    unit: "MiB",
    async measure() {
      let peak = NaN;
      await runProgram(program, (pid) => peak = watchPeak(pid));
      return peak;
    },
  };
}

/** Throws `Missing` where there is no `/proc`. */
export function requireProc(): void {
  if (Deno.build.os !== "linux") throw new Missing("It is measured on Linux only");
}

/** Reads the kernel's high-water mark again and again until the process has ended. */
function watchPeak(pid: number): number {
  for (let last = NaN;;) {
    const mark = memoryOf(pid, "VmHWM");
    if (mark === undefined) return last;
    last = mark;
  }
}

/** A figure of `/proc/PID/status` in MiB, or `undefined` for a process that has ended. */
function memoryOf(pid: number, name: "VmHWM" | "VmRSS"): number | undefined {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const found = status.match(new RegExp(`^${name}:\\s+(\\d+)`, "m"));
    return found === null ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** The memory that a process and its descendants have now, in MiB. */
export function memoryOfTree(pid: number): number {
  return [pid, ...descendantsOf(pid)]
    .reduce((sum, each) => sum + (memoryOf(each, "VmRSS") ?? 0), 0);
}

/** The processor time of a process and its ended children so far, in milliseconds. */
export function processorTimeOf(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The name of the program may contain blanks, so the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return ticks * 10;
}

/** The descendants of a process: its child processes, their child processes, and so on. */
export function descendantsOf(pid: number): number[] {
  try {
    const threads = [...Deno.readDirSync(`/proc/${pid}/task`)];
    return threads.flatMap(({ name }) => {
      const children = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`);
      return children.split(" ").filter(Boolean).map(Number);
    }).flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

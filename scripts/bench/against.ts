/** Compares the executable with another one, such as a build from before a change. */
import { bashFlags, ECHO, readCall, readFlags } from "./calls.ts";
import { runProgram } from "./processes.ts";
import { median, ratiosOf } from "./statistics.ts";
import type { Workspace } from "./workspace.ts";

/** The most that a command may take longer, as a part of the other executable's time. */
const MAX_PART = 0.05;

/** The most that a command that starts programs may take longer in addition, in milliseconds. */
const MAX_FOR_PROGRAMS = 3;

/** A command that both executables run. */
interface Command {
  label: string;
  args: readonly string[];
  stdin: string;
  startsPrograms: boolean;
}

/** The times of a command by both executables, round by round, in milliseconds. */
export interface Times {
  label: string;
  startsPrograms: boolean;
  now: readonly number[];
  before: readonly number[];
}

/** The comparison of a command, and true if the command keeps to the limit. */
export interface Comparison {
  line: string;
  isWithin: boolean;
}

/** Runs each command with both executables in turn: three times to warm up, and `runs` times. */
export async function measureAgainst(
  workspace: Workspace,
  { other, runs }: { other: string; runs: number },
): Promise<Times[]> {
  const commands = await commandsOf(workspace);
  const times = commands.map(({ label, startsPrograms }) => ({
    ...{ label, startsPrograms },
    ...{ now: [] as number[], before: [] as number[] },
  }));
  const [own, others] = [
    { executable: workspace.executable, env: await workspace.unpacked("fresh") },
    { executable: other, env: await workspace.unpacked("fresh", other) },
  ];
  for (let run = -3; run < runs; run++) {
    for (const [at, { args, stdin }] of commands.entries()) {
      for (const [list, { executable, env }] of [["now", own], ["before", others]] as const) {
        const duration = await runProgram({ command: [executable, ...args], stdin, env });
        if (run >= 0) times[at]![list].push(duration);
      }
    }
  }
  return times;
}

/** The line about a command: both medians, the median ratio and difference, and the limit. */
export function compareTimes({ label, startsPrograms, now, before }: Times): Comparison {
  const ratio = median(ratiosOf({ values: now, base: before }));
  const added = median(now.map((value, round) => value - before[round]!));
  const limit = MAX_PART * median(before) + (startsPrograms ? MAX_FOR_PROGRAMS : 0);
  const isWithin = added <= limit;
  const cells = [
    median(now).toFixed(1).padStart(8),
    median(before).toFixed(1).padStart(8),
    `${ratio.toFixed(3)} x`,
    `${added.toFixed(1).padStart(5)} ms`,
    `${isWithin ? "within" : "over"} ${limit.toFixed(1)} ms`,
  ];
  return { line: `  ${label.padEnd(25)}${cells.join("  ")}`, isWithin };
}

async function commandsOf(workspace: Workspace): Promise<Command[]> {
  const [read, echo] = [JSON.stringify(await readCall(workspace)), JSON.stringify(ECHO)];
  const reads = { stdin: read, startsPrograms: false };
  const echoes = { stdin: echo, startsPrograms: true };
  const scoped = bashFlags(workspace);
  return [
    { label: "Read -A", args: ["-A"], ...reads },
    { label: "Read --allow-read=DIR", args: readFlags(workspace), ...reads },
    { label: "Bash -A", args: ["-A"], ...echoes },
    { label: "Bash, scoped", args: scoped, ...echoes },
    { label: "Bash, --unconfined-run", args: [...scoped, "--unconfined-run"], ...echoes },
  ];
}

import { parseDuration } from "../../../base/duration.ts";
import { UsageError } from "../../../base/errors.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import { exitCodes, failureOf } from "../../call/failure.ts";
import type { TaskReport } from "../../registry/services.ts";
import { type CommandLine, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import type { Command, Process } from "../command.ts";
import { layoutFor } from "../print/style.ts";
import { remoteTaskTable, taskPage, taskTable } from "../print/task_page.ts";
import { untilSignal } from "../stop_signal.ts";
import { writeAll } from "../streams.ts";
import type { TaskSource } from "../task_source.ts";

/** The exit code of `tasks wait` for each status. A task that still runs has exceeded `--timeout`. */
const waitCodes: Readonly<Record<TaskReport["status"], number>> = {
  completed: 0,
  failed: exitCodes.tool_failed,
  lost: exitCodes.tool_failed,
  timed_out: exitCodes.timeout,
  stopped: exitCodes.cancelled,
  interrupted: exitCodes.interrupted,
  waiting: exitCodes.timeout,
  running: exitCodes.timeout,
};

/** An action for one task. It prints its result and returns the exit code. */
type Action = (
  id: string,
  context: { tasks: TaskSource; line: CommandLine; process: Process; isJson: boolean },
) => Promise<number>;

const actions: Readonly<Record<string, Action>> = {
  show: async (id, { tasks, process, isJson }) => {
    await printReport(await tasks.read(id, 0, untilSignal()), { process, isJson });
    return 0;
  },
  logs: async (id, { tasks, line, process, isJson }) => {
    const follow = line.options.has("follow") ? { follow: untilSignal() } : {};
    await tasks.printLogs(id, { process, isJson, ...follow });
    return 0;
  },
  wait: async (id, { tasks, line, process, isJson }) => {
    const given = line.options.get("timeout");
    const waitMs = given === undefined ? Infinity : durationMs(given);
    const signal = untilSignal();
    let report: TaskReport;
    try {
      report = await tasks.read(id, waitMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return exitCodes.cancelled;
    }
    await printReport(report, { process, isJson });
    if (report.status === "running") {
      const text = `The task ${quote(id)} still runs after ${given}; wait again, or stop it`;
      await writeAll(process.stderr, `toolcall: ${text}\n`);
    }
    return waitCodes[report.status];
  },
  stop: async (id, { tasks, process, isJson }) => {
    await printReport(await tasks.stop(id), { process, isJson });
    return 0;
  },
};

/** `toolcall tasks`: lists the background tasks, and `show`, `logs`, `wait` and `stop` for one. */
export const tasksCommand: Command = async (line, operands, process) => {
  const [name = "list", id] = operands;
  const format = readFormat(line, ["text", "json"]);
  const action = actions[name];
  if (name !== "list" && (action === undefined || !Object.hasOwn(actions, name))) {
    const known = ["list", ...Object.keys(actions)];
    const near = nearest(name, known);
    const all = near === undefined ? `available: ${known.join(", ")}` : hint(near, "");
    throw new UsageError(`Unknown subcommand ${quote(name)} of tasks; ${all}`);
  }
  refuseOperands(operands, name === "list" ? 1 : 2);
  refuseFlags(line, name);
  if (name !== "list" && id === undefined) {
    throw new UsageError(`Missing task id. Usage: toolcall tasks ${name} ID`);
  }
  try {
    const tasks = await openTasks(line);
    try {
      const isJson = format === "json";
      if (action !== undefined) return await action(id!, { tasks, line, process, isJson });
      const all = await tasks.list();
      const table = tasks.isRemote ? remoteTaskTable : taskTable;
      const text = isJson ? `${JSON.stringify(all)}\n` : table(all, layoutFor(process.stdout));
      await writeAll(process.stdout, text);
      return 0;
    } finally {
      await tasks.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const failure = failureOf(error);
    await writeAll(process.stderr, `toolcall: ${failure.message}\n`);
    return exitCodes[failure.code];
  }
};

async function openTasks(line: CommandLine): Promise<TaskSource> {
  if (line.options.has("nats")) {
    return await (await import("../remote_calls.ts")).openTaskSource(line);
  }
  (await import("../remote_flags.ts")).refuseNatsFlags(line);
  return (await import("../local_task_source.ts")).openLocalTasks(line);
}

function refuseFlags({ options }: CommandLine, name: string): void {
  for (const [flag, action] of [["follow", "logs"], ["timeout", "wait"]] as const) {
    if (!options.has(flag) || name === action) continue;
    throw new UsageError(`--${flag} belongs to "toolcall tasks ${action} ID"`);
  }
}

/** The milliseconds of a time such as 500ms, 30s, 5m or 2h. Throws {@link UsageError}. */
function durationMs(given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `Cannot use --timeout=${quote(given)}: write a time with its unit, such as 500ms, 30s or 5m`,
  );
}

async function printReport(
  report: TaskReport,
  { process: { stdout }, isJson }: { process: Process; isJson: boolean },
): Promise<void> {
  await writeAll(stdout, isJson ? `${JSON.stringify(report)}\n` : taskPage(report));
}

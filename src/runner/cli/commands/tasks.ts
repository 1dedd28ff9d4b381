import { delay } from "@std/async/delay";
import { parseDuration } from "../../../base/duration.ts";
import { UsageError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import { currentTask, readTask, stopTask } from "../../call/background_tasks.ts";
import { exitCodes, failureOf } from "../../call/failure.ts";
import type { TaskReport } from "../../registry/services.ts";
import { State } from "../../state/state.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import type { StoredTask, TaskStore } from "../../state/task_store.ts";
import { type CommandLine, readFormat, refuseOperands } from "../command.ts";
import type { Command, Process } from "../command.ts";
import { layoutFor } from "../print/style.ts";
import { taskPage, taskTable } from "../print/task_page.ts";
import { untilSignal } from "../stop_signal.ts";
import { writeAll } from "../streams.ts";

/** The interval between two looks at the output of a running task, in milliseconds. */
const LOOK_MS = 100;

/** The exit code of `tasks wait` for each status. A task that still runs has exceeded `--timeout`. */
const waitCodes: Readonly<Record<TaskReport["status"], number>> = {
  completed: 0,
  failed: exitCodes.tool_failed,
  lost: exitCodes.tool_failed,
  timed_out: exitCodes.timeout,
  stopped: exitCodes.cancelled,
  running: exitCodes.timeout,
};

/** An action for one task. It prints its result and returns the exit code. */
type Action = (
  id: string,
  context: { tasks: TaskStore; line: CommandLine; process: Process; isJson: boolean },
) => Promise<number>;

const actions: Readonly<Record<string, Action>> = {
  show: async (id, { tasks, process, isJson }) => {
    await printReport(await readTask(tasks, id, { waitMs: 0, signal: untilSignal() }), {
      process,
      isJson,
    });
    return 0;
  },
  logs: printLogs,
  wait: async (id, { tasks, line, process, isJson }) => {
    const given = line.options.get("timeout");
    const waitMs = given === undefined ? Infinity : durationMs(given);
    const signal = untilSignal();
    let report: TaskReport;
    try {
      report = await readTask(tasks, id, { waitMs, signal });
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
    await printReport(await stopTask(tasks, id), { process, isJson });
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
    const state = new State(stateDirectory(line.options.get("state-dir")), "");
    try {
      const isJson = format === "json";
      if (action !== undefined) {
        return await action(id!, { tasks: state.tasks, line, process, isJson });
      }
      const tasks = listTasks(state.tasks);
      const text = isJson
        ? `${JSON.stringify(tasks)}\n`
        : taskTable(tasks, layoutFor(process.stdout));
      await writeAll(process.stdout, text);
      return 0;
    } finally {
      state.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const failure = failureOf(error);
    await writeAll(process.stderr, `toolcall: ${failure.message}\n`);
    return exitCodes[failure.code];
  }
};

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

/** Prints the output of a task, and with `--follow` what is added until the task ends. */
async function printLogs(
  id: string,
  { tasks, line, process, isJson }: Parameters<Action>[1],
): Promise<number> {
  const { stdout } = process;
  const signal = line.options.has("follow") ? untilSignal() : undefined;
  const decoder = new TextDecoder();
  let [at, hasOutput] = [0, false];
  for (;;) {
    // The status is read before the output: what the task printed before its end is then complete.
    const { status, text = "" } = currentTask(tasks, id);
    const isLast = signal === undefined || signal.aborted || status !== "running";
    const data = bytesFrom(tasks.outputFile(id), at);
    at += data.length;
    hasOutput ||= data.length > 0;
    const added = decoder.decode(data, { stream: !isLast });
    // Only programs have output. The other tools have a result.
    const output = isLast && !hasOutput && status !== "running" ? `${text}\n` : added;
    if (isJson && (isLast || output !== "")) {
      await writeAll(stdout, `${JSON.stringify({ id, status, output })}\n`);
    } else if (!isJson) {
      await writeAll(stdout, stdout.isTerminal() ? escapeControls(output) : output);
    }
    if (isLast) return 0;
    await delay(LOOK_MS, { signal }).catch(() => {});
  }
}

/** The bytes of a file from an offset to its end. Empty if there is no file. */
function bytesFrom(path: string, at: number): Uint8Array {
  try {
    using file = Deno.openSync(path);
    const data = new Uint8Array(Math.max(file.statSync().size - at, 0));
    file.seekSync(at, Deno.SeekMode.Start);
    let length = 0;
    for (let count: number | null = 1; count && length < data.length; length += count ?? 0) {
      count = file.readSync(data.subarray(length));
    }
    return data.subarray(0, length);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Uint8Array();
    throw error;
  }
}

async function printReport(
  report: TaskReport,
  { process: { stdout }, isJson }: { process: Process; isJson: boolean },
): Promise<void> {
  await writeAll(stdout, isJson ? `${JSON.stringify(report)}\n` : taskPage(report));
}

/** Lists the stored tasks, each with its current status. */
export function listTasks(tasks: TaskStore): StoredTask[] {
  return tasks.list().map((task) => task.status === "running" ? currentTask(tasks, task.id) : task);
}

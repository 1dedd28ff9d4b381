import { currentTask } from "../../call/background_tasks.ts";
import { exitCodes, failureOf } from "../../call/failure.ts";
import { elapsedMs } from "../../../base/elapsed.ts";
import { quote } from "../../../base/text/quote.ts";
import { State } from "../../state/state.ts";
import type { StoredTask } from "../../state/task_store.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import { type Command, readFormat, refuseOperands } from "../command.ts";
import { plainLayout } from "../print/style.ts";
import { tableLines } from "../print/table.ts";
import { writeAll } from "../streams.ts";

/** `toolcall tasks`: the background tasks, the newest first. */
export const tasksCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const format = readFormat(line, ["text", "json"]);
  try {
    const tasks = listTasks(line.options.get("state-dir"));
    await writeAll(
      process.stdout,
      format === "json" ? `${JSON.stringify(tasks)}\n` : formatTable(tasks),
    );
    return 0;
  } catch (error) {
    const failure = failureOf(error);
    await writeAll(process.stderr, `toolcall: ${failure.message}\n`);
    return exitCodes[failure.code];
  }
};

function listTasks(stateDir: string | undefined): StoredTask[] {
  const state = new State(stateDirectory(stateDir), "");
  try {
    const { tasks } = state;
    return tasks.list().map((task) =>
      task.status === "running" ? currentTask(tasks, task.id) : task
    );
  } finally {
    state.close();
  }
}

function formatTable(tasks: StoredTask[]): string {
  if (tasks.length === 0) return "There are no background tasks\n";
  const rows = tasks.map(({ id, status, tool, title, startedAt, endedAt }) => [
    ...[id, status, formatDuration(elapsedMs({ startedAt, endedAt })), tool],
    quote(title, 60).slice(1, -1),
  ]);
  const cells = [["TASK", "STATUS", "TIME", "TOOL", "TITLE"], ...rows]
    .map((row) => row.map((text) => ({ text })));
  return tableLines(cells, plainLayout).map((each) => `${each}\n`).join("");
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

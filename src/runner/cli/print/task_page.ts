import { formatDuration } from "../../../base/duration.ts";
import { elapsedMs } from "../../../base/elapsed.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import type { TaskReport } from "../../registry/services.ts";
import type { TextLayout } from "./style.ts";
import { tableLines } from "./table.ts";

/** The report on a task for a person: its fields, and its result or output. */
export function taskPage(report: TaskReport): string {
  const { id, tool, title, status, startedAt, endedAt, text, outputFile, worker } = report;
  const rows = [
    ["task", id],
    ["status", `${status}, ${formatDuration(elapsedMs({ startedAt, endedAt }))}`],
    ["tool", tool],
    ["title", quote(title, 200).slice(1, -1)],
    ["started", new Date(startedAt).toISOString()],
    ...(endedAt === undefined ? [] : [["ended", new Date(endedAt).toISOString()]]),
    ...(worker === undefined ? [] : [["worker", worker]]),
    ...(outputFile === undefined ? [] : [["output", outputFile]]),
  ];
  const lines = rows.map(([name, value]) => `${name!.padEnd(9)}${value}\n`).join("");
  return escapeControls(text === "" ? lines : `${lines}\n${text.trimEnd()}\n`);
}

/** A task as the table shows it. */
export type ListedTask =
  & Pick<TaskReport, "id" | "status" | "tool" | "title" | "startedAt" | "worker">
  & { endedAt?: number | undefined };

/** The table of tasks. */
export function taskTable(tasks: readonly ListedTask[], page: TextLayout): string {
  return table(
    tasks,
    [
      ["TIME", ({ startedAt, endedAt }) => formatDuration(elapsedMs({ startedAt, endedAt }))],
      ["TOOL", ({ tool }) => tool],
    ],
    page,
  );
}

/** The table of tasks on workers. */
export function remoteTaskTable(tasks: readonly ListedTask[], page: TextLayout): string {
  return table(
    tasks,
    [
      ["AGE", ({ startedAt }) => formatDuration(Date.now() - startedAt)],
      ["TOOL", ({ tool }) => tool],
      ["WORKER", ({ worker = "-" }) => worker],
    ],
    page,
  );
}

function table(
  tasks: readonly ListedTask[],
  columns: readonly (readonly [head: string, cell: (task: ListedTask) => string])[],
  page: TextLayout,
): string {
  if (tasks.length === 0) return "No background tasks\n";
  const rows = tasks.map((task) => [
    ...[task.id, task.status, ...columns.map(([, cell]) => cell(task))],
    quote(task.title, 60).slice(1, -1),
  ]);
  const cells = [["TASK", "STATUS", ...columns.map(([head]) => head), "TITLE"], ...rows]
    .map((row) => row.map((text) => ({ text })));
  return tableLines(cells, page).map((each) => `${each}\n`).join("");
}

import { formatDuration } from "../../../base/duration.ts";
import { elapsedMs } from "../../../base/elapsed.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import type { TaskReport } from "../../registry/services.ts";
import type { StoredTask } from "../../state/task_store.ts";
import type { TextLayout } from "./style.ts";
import { tableLines } from "./table.ts";

/** The report on a task for a person: its fields, and its result or output. */
export function taskPage(report: TaskReport): string {
  const { id, tool, title, status, startedAt, endedAt, text, outputFile } = report;
  const rows = [
    ["task", id],
    ["status", `${status}, ${formatDuration(elapsedMs({ startedAt, endedAt }))}`],
    ["tool", tool],
    ["title", quote(title, 200).slice(1, -1)],
    ["started", new Date(startedAt).toISOString()],
    ...(endedAt === undefined ? [] : [["ended", new Date(endedAt).toISOString()]]),
    ["output", outputFile],
  ];
  const lines = rows.map(([name, value]) => `${name!.padEnd(9)}${value}\n`).join("");
  return escapeControls(text === "" ? lines : `${lines}\n${text.trimEnd()}\n`);
}

/** The table of tasks. */
export function taskTable(tasks: readonly StoredTask[], page: TextLayout): string {
  if (tasks.length === 0) return "No background tasks\n";
  const rows = tasks.map(({ id, status, tool, title, startedAt, endedAt }) => [
    ...[id, status, formatDuration(elapsedMs({ startedAt, endedAt })), tool],
    quote(title, 60).slice(1, -1),
  ]);
  const cells = [["TASK", "STATUS", "TIME", "TOOL", "TITLE"], ...rows]
    .map((row) => row.map((text) => ({ text })));
  return tableLines(cells, page).map((each) => `${each}\n`).join("");
}

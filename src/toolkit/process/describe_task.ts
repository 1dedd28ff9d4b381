import { elapsedMs } from "../../base/elapsed.ts";
import type { TaskReport } from "../../runner/registry/services.ts";

const STATUS: Readonly<Record<TaskReport["status"], string>> = {
  running: "still runs",
  completed: "completed",
  failed: "has failed",
  timed_out: "timed out",
  stopped: "was stopped",
  lost: "is lost",
};

/** A background task as text for a model: one line on its status, then its output. */
export function describeTask(
  { id, tool, title, status, startedAt, endedAt, text, outputFile }: TaskReport,
): string {
  const seconds = elapsedMs({ startedAt, endedAt }) / 1000;
  const what = `${tool} ${JSON.stringify(title)}`;
  const head = `${id} (${what}) ${STATUS[status]} after ${seconds.toFixed(1)} s`;
  const where = status === "running" ? `; output file: "${outputFile}"` : "";
  return `${head}${where}\n${text === "" ? "No output" : text}`;
}

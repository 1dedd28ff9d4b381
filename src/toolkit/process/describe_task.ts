import { elapsedMs } from "../../base/elapsed.ts";
import type { TaskReport } from "../../runner/registry/services.ts";

const STATUS: Readonly<Record<TaskReport["status"], string>> = {
  waiting: "waits for a worker",
  running: "still runs",
  completed: "completed",
  failed: "has failed",
  timed_out: "timed out",
  stopped: "was stopped",
  lost: "is lost",
  interrupted: "was interrupted",
};

/** A background task as text for a model: one line on its status, then its output. */
export function describeTask(
  { id, tool, title, status, startedAt, endedAt, text, outputFile, worker }: TaskReport,
): string {
  const seconds = elapsedMs({ startedAt, endedAt }) / 1000;
  const what = `${tool} ${JSON.stringify(title)}`;
  const head = `${id} (${what}) ${STATUS[status]} after ${seconds.toFixed(1)} s`;
  const file = status === "running" && outputFile !== undefined
    ? `; output file: "${outputFile}"`
    : "";
  const where = worker === undefined ? file : `; worker: ${worker}`;
  return `${head}${where}\n${text === "" ? "No output" : text}`;
}

import type { TaskReport } from "../registry/services.ts";

const STATUS: Readonly<Record<TaskReport["status"], string>> = {
  running: "still runs",
  completed: "has ended well",
  failed: "has failed",
  timed_out: "was ended by its time limit",
  stopped: "was stopped",
  lost: "is lost",
};

/** A background task for a model: how it stands in one line, then its output. */
export function reportText(
  { id, tool, title, status, startedAt, endedAt, text, outputFile }: TaskReport,
): string {
  const seconds = lastedMs({ startedAt, endedAt }) / 1000;
  const what = `${tool} ${JSON.stringify(title)}`;
  const head = `${id} (${what}) ${STATUS[status]} after ${seconds.toFixed(1)} s`;
  const where = status === "running" ? `; its output goes to "${outputFile}"` : "";
  return `${head}${where}\n${text === "" ? "It has printed nothing" : text}`;
}

/**
 * How long a background task ran, or has run so far, in milliseconds. The clock of the machine may
 * have been set back meanwhile: then it is 0.
 */
export function lastedMs(
  { startedAt, endedAt }: { startedAt: number; endedAt: number | undefined },
): number {
  return Math.max(0, (endedAt ?? Date.now()) - startedAt);
}

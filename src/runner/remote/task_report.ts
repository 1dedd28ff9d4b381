/** Tells how a background task is, from its record in the ledger. */

import { shownContent } from "../../base/shown_content.ts";
import type { StoredMsg } from "@nats-io/jetstream";
import { blockText } from "../../base/block_text.ts";
import type { CallResult } from "../call/failure.ts";
import { statusOfTask } from "../call/task_summary.ts";
import type { TaskReport } from "../registry/services.ts";
import type { Blobs } from "./blobs.ts";
import { isRunning, recordedResult } from "./recorded_result.ts";
import { HEADERS } from "./subjects.ts";
import type { TaskEntry } from "./task_list.ts";
import { interruptedTask } from "./task_runs.ts";

/** The beats that a worker may miss before it counts as lost. It is then lost for the queue too. */
const MAX_MISSED_BEATS = 4;

/**
 * Returns the report on a task from its record. A task without a record waits for a worker. A running
 * task whose worker is silent for too long is interrupted. The next worker records that later.
 */
export async function reportTask(
  entry: TaskEntry,
  record: StoredMsg | undefined,
  blobs: Blobs,
): Promise<TaskReport> {
  const { id, tool, title, startedAt: sent } = entry;
  if (record === undefined) {
    return { id, tool, title, status: "waiting", startedAt: sent, text: "" };
  }
  const { header, time, data } = record;
  const startedAt = Number(header.get(HEADERS.started)) || sent;
  // Somebody who stops a task before it starts is no worker.
  const writer = header.get(HEADERS.worker);
  const worker = writer === "caller" ? {} : { worker: writer };
  const known = { id, tool, title, startedAt, ...worker };
  if (!isRunning(header)) {
    const result = await recordedResult(record, blobs);
    return { ...known, ...endOf(result), endedAt: time.getTime() };
  }
  const output = new TextDecoder().decode(data);
  const silentMs = Date.now() - time.getTime();
  if (silentMs <= Number(header.get(HEADERS.beatMs)) * MAX_MISSED_BEATS) {
    return { ...known, status: "running", text: output };
  }
  const lost = endOf(interruptedTask(tool, { worker: writer, output }));
  return { ...known, ...lost, endedAt: time.getTime() };
}

function endOf(result: CallResult): Pick<TaskReport, "status" | "text"> {
  const text = shownContent(result).map((block) => blockText(block)).join("\n");
  return { status: statusOfTask(result), text };
}

/** Whether a task has not ended. */
export function isOpenTask({ status }: TaskReport): boolean {
  return status === "waiting" || status === "running";
}

/** The background tasks of this program, as MCP's extension for tasks shows them. */

import { outputSoFar } from "../../../base/fs/output_so_far.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import { currentTask, stopTask } from "../../call/background_tasks.ts";
import type { CallOptions } from "../../call/call.ts";
import { resultOfTask, taskOwner } from "../../call/client_task.ts";
import { answerQuestions, openQuestions } from "../../call/task_questions.ts";
import type { CallResult } from "../../call/failure.ts";
import type { ClientRequest } from "../../registry/client_service.ts";
import type { State } from "../../state/state.ts";
import { RETENTION_MS, type StoredTask } from "../../state/task_store.ts";
import { JsonRpcError, REFUSAL_CODES } from "../json_rpc_error.ts";
import type { McpTask } from "../tasks_extension.ts";

/** The interval at which a client should ask for a task, in milliseconds. */
const POLL_MS = 1_000;
/** The most characters of output that are read for the last line, and the most of that line. */
const [MAX_TAIL, MAX_LINE] = [2_000, 200];

type TaskOptions = Pick<CallOptions, "stateDir" | "session" | "pool" | "flags">;

/** A task that this client may read. */
interface FoundTask {
  state: State;
  owner: string;
  stored: StoredTask;
  result: CallResult | null;
}

/**
 * Returns a task with its state, and with the result if it has ended. Throws `invalidParams` if
 * there is no such task for a client with these flags.
 */
export async function readClientTask(id: string, options: TaskOptions): Promise<McpTask> {
  return taskOf(await findTask(id, options));
}

/** Stops a task that still runs. Throws as {@link readClientTask} does. */
export async function cancelClientTask(id: string, options: TaskOptions): Promise<void> {
  const { state, stored } = await findTask(id, options);
  if (stored.status === "running") await stopTask(state.tasks, id);
}

/** Gives a task answers to its requests, by their keys. Throws as {@link readClientTask} does. */
export async function answerClientTask(
  id: string,
  answers: Record<string, unknown>,
  options: TaskOptions,
): Promise<void> {
  const { state, owner } = await findTask(id, options);
  answerQuestions(state, { id, owner }, answers);
}

async function findTask(id: string, options: TaskOptions): Promise<FoundTask> {
  // The services keep the file open. A copy of their module would open it once more.
  const { openState } = await import("../../call/services.ts");
  const state = openState(options);
  const owner = await taskOwner(options.flags);
  if (resultOfTask(state, { id, owner }) === undefined) {
    throw new JsonRpcError(
      "invalidParams",
      `Unknown task ${
        quote(id, 80)
      }: no such task was started under these permission flags, or it ` +
        "has expired",
    );
  }
  const stored = currentTask(state.tasks, id);
  // A task may have ended since the first look. Its result is recorded together with its end.
  return { state, owner, stored, result: resultOfTask(state, { id, owner }) ?? null };
}

function taskOf({ state, owner, stored, result }: FoundTask): McpTask {
  const { id, startedAt, endedAt } = stored;
  const file = state.tasks.outputFile(id);
  const changedAt = endedAt ?? changeTime(file) ?? startedAt;
  const lasted = Math.max(0, (endedAt ?? Date.now()) - startedAt);
  const questions = endedAt === undefined ? openQuestions(state, { id, owner }) : {};
  const line = lastLine(stored.text ?? outputSoFar(file, MAX_TAIL));
  return {
    taskId: id,
    ...outcomeOf(stored, result, questions),
    ...(line !== "" && { statusMessage: line }),
    createdAt: new Date(startedAt).toISOString(),
    lastUpdatedAt: new Date(Math.max(startedAt, changedAt)).toISOString(),
    // It is kept for a week after its end, which is not known yet while it runs.
    ttlMs: lasted + RETENTION_MS,
    pollIntervalMs: POLL_MS,
  };
}

/** A failed call has completed for MCP. Only a call without any result has failed. */
function outcomeOf(
  { status, text = "" }: StoredTask,
  result: CallResult | null,
  questions: Record<string, ClientRequest>,
): Pick<McpTask, "status" | "result" | "error" | "inputRequests"> {
  if (status === "running" || status === "waiting") {
    if (Object.keys(questions).length === 0) return { status: "working" };
    return { status: "input_required", inputRequests: questions };
  }
  if (status === "stopped") return { status: "cancelled" };
  const isBroken = status === "lost" || status === "interrupted" ||
    result?._meta?.["toolcall/error"]?.code === "internal";
  if (isBroken) {
    return { status: "failed", error: { code: REFUSAL_CODES.internalError, message: text } };
  }
  const answer = result ??
    { content: [{ type: "text", text }], isError: status !== "completed" };
  return { status: "completed", result: { ...answer } };
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1)!;
  return escapeControls(line.trim()).slice(0, MAX_LINE);
}

function changeTime(path: string): number | undefined {
  try {
    return Deno.statSync(path).mtime?.getTime();
  } catch {
    return undefined;
  }
}

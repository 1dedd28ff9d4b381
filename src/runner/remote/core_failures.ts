/** The options of calls on workers, and the ways in which such calls fail. */

import type { JsonId } from "../../base/json/inexact_number.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import type { UserKey } from "./user_proof.ts";

/** How calls are sent. */
export interface RemoteOptions {
  /** The pool of workers. */
  pool: string;
  /** The user and the batch, with a dot between. They are a part of the key of each call. */
  batch: string;
  /** The permission flags that calls are restricted to. */
  narrow?: readonly string[];
  /** The session. */
  session?: string;
  /** The keys of the user of the batch, which prove who asks. A user without a key has none. */
  userKey?: UserKey;
  /** The workspace that all calls run in. With `isKept`, it is not ended after the calls. */
  workspace?: { name: string; isKept: boolean };
  /** The time limit of each call from when it is sent until it starts, in milliseconds. */
  deadlineMs?: number;
  /** The trace context. */
  trace?: string;
  /** Takes each line of progress. */
  onProgress?(line: string): void;
}

/** The failure for a call that no worker of the pool can run. */
export function noWorker(tool: string, pool: string): CallError {
  const message =
    `No worker of the pool ${quote(pool)} offers ${quote(tool, 80)}; start one with ` +
    '"toolcall worker --nats=URL" and flags that the tool needs';
  return new CallError("unavailable", message, { tool, pool });
}

/** The failure for a workspace that no worker of the pool can make. */
export function noWorkspaces(pool: string): CallError {
  const message = `No worker of the pool ${quote(pool)} has workspaces; start one with ` +
    '"toolcall worker --nats=URL --workspace=DIR"';
  return new CallError("unavailable", message, { pool });
}

/** The failure for a call in a workspace that was there before. */
export function goneWorkspace(name: string): CallError {
  const message =
    `The workspace ${quote(name)} is gone: its worker has ended, or nothing used it ` +
    "for too long. Begin again with another workspace";
  return new CallError("unavailable", message, { workspace: name });
}

/** The failure for a call whose worker no longer tells that it runs. */
export function silentWorker(subject: string, silentMs: number): CallError {
  const message = `Nothing was heard of the worker for ${silentMs / 1_000} s (${subject}); ` +
    "whether the call took effect is not known";
  return new CallError("timeout", message, { silentMs });
}

/** The failure for a call that the caller has cancelled. */
export function cancelledCall({ name }: ToolCall): CallError {
  return new CallError("cancelled", `The call of ${quote(name)} was cancelled`);
}

/** The time after which a worker without room wants to be asked again, in milliseconds. */
export function busyMs(result: CallResult): number | undefined {
  const error = result._meta?.["toolcall/error"];
  if (error?.code !== "unavailable" || error["passing"] !== true) return undefined;
  const { retryAfterMs } = error;
  return typeof retryAfterMs === "number" ? Math.min(5_000, Math.max(10, retryAfterMs)) : undefined;
}

/** The failure for an id that comes twice in a durable batch. */
export function repeatedId(id: JsonId): CallError {
  const shown = quote(typeof id === "string" ? id : JSON.stringify(id), 80);
  const message =
    `The id ${shown} comes twice in the batch; each call of a durable batch needs its ` +
    "own id";
  return new CallError("malformed_call", message, { id });
}

/** The failure for a durable call whose submitter has stopped. */
export function leftCall({ name }: ToolCall, batch: string): CallError {
  const own = batch.slice(batch.indexOf(".") + 1);
  const message = `Stopped waiting for ${quote(name)}; the call goes on. Get its result with ` +
    `"toolcall submit --batch=${own} --attach", or end it with --cancel`;
  return new CallError("cancelled", message, { batch: own });
}

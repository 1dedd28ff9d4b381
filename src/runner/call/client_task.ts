/** Background tasks that an MCP client started: who may read one, and the whole result of its call. */

import type { Json } from "../registry/services.ts";
import type { State } from "../state/state.ts";
import { RETENTION_MS } from "../state/task_store.ts";
import type { CallResult } from "./failure.ts";

/** The namespace of the results in the state. */
const SPACE = "tasks of MCP clients";

/** A task and its owner, as {@link taskOwner} returns it. */
export interface OwnedTask {
  /** The id of the task. */
  id: string;
  /** The owner. */
  owner: string;
}

/**
 * Returns the owner of the tasks of calls under these flags, which include the session and the
 * working directory. Calls under other flags have another owner.
 */
export async function taskOwner(flags: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(flags));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Records the owner of a task that starts and may run for `timeoutMs` milliseconds. */
export function recordOwner({ values }: State, task: OwnedTask, timeoutMs: number): void {
  values.set(...place(task), { value: null, ttlMs: timeoutMs + RETENTION_MS });
}

/** Records the result of a task, as part of a transaction of the caller. */
export function recordResult({ values }: State, task: OwnedTask, result: CallResult): void {
  values.put(...place(task), { value: result as unknown as Json, ttlMs: RETENTION_MS });
}

/**
 * Returns the result of a task, or `null` if it has none. Returns `undefined` if the task is
 * unknown, has expired or has another owner.
 */
export function resultOfTask({ values }: State, task: OwnedTask): CallResult | null | undefined {
  return values.get(...place(task)) as unknown as CallResult | null | undefined;
}

function place({ id, owner }: OwnedTask): [owner: { space: string; session: string }, id: string] {
  return [{ space: SPACE, session: owner }, id];
}

/** A background task in short: its title, and how it ended. */

import type { TaskReport } from "../registry/services.ts";
import type { CallResult } from "./failure.ts";

/** The longest title of a task, in characters. */
const MAX_TITLE = 200;

/**
 * Returns a title for users: the description in the arguments, or else their first string. Returns
 * `undefined` for arguments without a string.
 */
export function titleOfTask(args: Readonly<Record<string, unknown>>): string | undefined {
  const { description } = args;
  const title = typeof description === "string"
    ? description
    : Object.values(args).find((value) => typeof value === "string");
  return title !== undefined && title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}

/** Returns the status of a task that has ended with this result. */
export function statusOfTask({ isError, _meta }: CallResult): TaskReport["status"] {
  if (!isError) return "completed";
  const code = _meta?.["toolcall/error"]?.code;
  if (code === "timeout") return "timed_out";
  if (code === "cancelled") return "stopped";
  return code === "interrupted" ? "interrupted" : "failed";
}

import { CallError } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { RateLimit } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import { RateLimiter } from "../state/rate_limiter.ts";
import { State } from "../state/state.ts";
import { stateDirectory } from "../state/state_directory.ts";
import type { CallOptions } from "./call.ts";
import { isSetByParent } from "../own_environment.ts";

/**
 * Counts a call before it begins. All processes with the same state directory share the count.
 * Throws `unavailable` if the limit is reached, or if calls cannot be counted.
 */
export function countCall(
  { metadata: { name } }: RegisteredTool,
  limit: RateLimit,
  options: CallOptions,
): void {
  // A background task was counted at its start. Other calls may be counted by the parent.
  if (options.output !== undefined || isSetByParent("countedBy")) return;
  const waitMs = counted(name, limit, options);
  if (waitMs === undefined) return;
  throw new CallError(
    "unavailable",
    `Cannot call ${quote(name)} now: at most ${plural(limit.calls, "call")} may start ` +
      `within ${spelled(limit.windowMs)}; try again in ${spelled(Math.ceil(waitMs / 1000) * 1000)}`,
    { tool: name, rateLimit: limit, retryAfterMs: waitMs },
  );
}

function counted(
  name: string,
  limit: RateLimit,
  { stateDir, session }: CallOptions,
): number | undefined {
  try {
    const state = new State(stateDirectory(stateDir), session);
    try {
      return new RateLimiter(state.database).begin(name, limit);
    } finally {
      state.close();
    }
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const why = `its calls are limited and cannot be counted: ${error.message}`;
    throw new CallError("unavailable", `Cannot call ${quote(name)}: ${why}`, {
      ...error.details,
      tool: name,
      rateLimit: limit,
    });
  }
}

function spelled(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}

/** The paths of this program that no call reads, whatever the grants. */

import { withoutStackTraces } from "../../../base/without_stack_traces.ts";
import { realPaths } from "./paths.ts";
import type { Scope } from "./scope.ts";

/** The number of older audit logs that are kept. */
const MAX_OLDER_LOGS = 5;

/** The older logs beside an audit log, the newest first. */
export function olderLogs(path: string): string[] {
  return Array.from({ length: MAX_OLDER_LOGS }, (_, at) => `${path}.${at + 1}`);
}

/** The audit log and the older ones. No call reads or writes them by their paths. */
export function auditLogs({ audit }: { audit?: string }): string[] {
  return audit === undefined ? [] : [audit, ...olderLogs(audit)];
}

/** The directory of the tokens of MCP servers, in a state directory. */
export function tokenDirectory(state: string): string {
  return `${state}/oauth`;
}

/** The real path of the directory of tokens, if it exists and a grant could open it. */
export function tokenDirectories(
  { state, all, allow }: {
    state?: string;
    all: boolean;
    allow: { readonly read?: Scope; readonly write?: Scope };
  },
): string[] {
  if (state === undefined || !(all || allow.read || allow.write)) return [];
  return withoutStackTraces(() => realPaths([tokenDirectory(state)]));
}

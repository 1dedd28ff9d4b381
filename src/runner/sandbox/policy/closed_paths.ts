/** The paths of this program that no call reads, whatever the grants. */

import { lookAt } from "../../../base/fs/path_status.ts";
import { withoutStackTraces } from "../../../base/without_stack_traces.ts";
import { isInside, realPathIfAny, realPaths } from "./paths.ts";
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

/** The directory of the MCP servers that run between calls, in a state directory. */
export function keptDirectory(state: string): string {
  return `${state}/servers`;
}

/** The directory of the texts before edits, in a state directory. */
export function editDirectory(state: string): string {
  return `${state}/edits`;
}

/** The parts of grants that decide which directories with secrets they could open. */
interface StateGrants {
  state?: string;
  all: boolean;
  allow: { readonly read?: Scope; readonly write?: Scope };
}

/** The real paths of the directories with secrets in a state directory that exist below a grant. */
export function secretDirectories({ state, all, allow }: StateGrants): string[] {
  if (state === undefined || !(all || allow.read || allow.write)) return [];
  const meets = (path: string, each: string) => isInside(path, each) || isInside(each, path);
  const isCovered = (path: string) =>
    all ||
    [allow.read, allow.write].some((scope) =>
      scope === true || scope?.some((each) => meets(path, each))
    );
  return withoutStackTraces(() => {
    // Most grants do not cover the state directory, and then a call of a server looks at no path.
    const real = realState(state);
    if (real === undefined || !isCovered(real)) return [];
    const secret = [tokenDirectory(state), keptDirectory(state), editDirectory(state)];
    return realPaths(secret).filter(isCovered);
  });
}

/** The real paths of the existing state directories. No call can change what leads to one. */
const realStates = new Map<string, string>();

/** The real path of a state directory, or `undefined` if it is missing and so holds no secrets. */
function realState(state: string): string | undefined {
  const known = realStates.get(state);
  if (known !== undefined || lookAt(state) === undefined) return known;
  const real = realPathIfAny(state) ?? state;
  realStates.set(state, real);
  return real;
}

/** Whether a real path is or lies in one of these directories. */
export function isSecret(path: string, grants: StateGrants): boolean {
  // Their real paths are looked up only for a path that may be one of them.
  return ["/oauth", "/servers", "/edits"].some((name) => path.includes(name)) &&
    secretDirectories(grants).some((each) => isInside(path, each));
}

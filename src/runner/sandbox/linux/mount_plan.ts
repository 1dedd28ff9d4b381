/** The plan of the read-only and the writable paths in the mount namespace of a call's programs. */

import { readVariable } from "../../../base/environment.ts";
import { dirname } from "@std/path/posix/dirname";
import { auditLogs } from "../policy/closed_paths.ts";
import type { Grants } from "../policy/grants.ts";
import { isInside, isThere, realPathIfAny } from "../policy/paths.ts";
import { existingProtected } from "../policy/protected_paths.ts";

/** The mounts of a namespace, as data. */
export interface MountPlan {
  /** The state of all paths that are not named here. */
  base: "read-only" | "as it is";
  /** Files and directories that may be written, none inside another. */
  writable: readonly string[];
  /**
   * The mounts inside them, at real paths, the outer ones first, and whether their contents may be
   * written. A mount keeps its path from being renamed or replaced.
   */
  inside: readonly { path: string; writable: boolean }[];
  /** The protected files and directories. Only these mounts protect them from programs. */
  protected: readonly string[];
}

/** The options of a mount plan. */
export interface MountPlanOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The call's own directories, which stay writable. */
  temporary: readonly string[];
  /** The working directory of the call. */
  cwd: string;
  /** A quick test whether anything is at a path, if the system has one. */
  exists?: (path: string) => boolean;
}

/** The mounts for programs under these flags. */
export function mountPlan(
  { grants, temporary, cwd, exists = isThere }: MountPlanOptions,
): MountPlan {
  const { all, allow, deny, own = [], config } = grants;
  const scope = all || (allow.write ?? []);
  const named = scope === true ? [] : scope;
  const writable = outermost([...(scope === true ? ["/"] : named.filter(exists)), ...temporary]);
  const isWritable = (path: string) => writable.some((each) => isInside(path, each));
  // Under a grant of everything only the home directory and the working directory are searched.
  const given = scope === true ? readVariable("HOME") : undefined;
  const home = given?.startsWith("/") ? realPathIfAny(given) : undefined;
  const searched = outermost(scope === true ? [home ?? cwd, cwd] : named);
  const isOpen = (path: string) => !isWritable(path) || named.includes(path);
  const found = all
    ? []
    : existingProtected(searched, { cwd, exists }).filter((path) => !isOpen(path));
  const closed = [
    ...(Array.isArray(deny.write) ? deny.write : []),
    ...own,
    ...auditLogs(grants),
    ...(all || config === undefined || isOpen(config) ? [] : [config]),
  ].filter((path) => isWritable(path) && !writable.includes(path) && exists(path));
  const shut = outermost([...found, ...closed]);
  const pinned = found.flatMap((path) => between(path, searched));
  const opened = named.filter((path) =>
    !writable.includes(path) && shut.some((each) => isInside(path, each))
  );
  const inside = new Map<string, boolean>();
  for (const path of pinned) inside.set(path, true);
  for (const path of shut) inside.set(path, false);
  for (const path of opened) if (!inside.has(path)) inside.set(path, true);
  for (const path of writable) inside.delete(path);
  return {
    base: writable.includes("/") ? "as it is" : "read-only",
    writable,
    // Sorted by path, so that the outer ones come first.
    inside: [...inside].map(([path, writable]) => ({ path, writable }))
      .sort((a, b) => a.path < b.path ? -1 : 1),
    protected: found,
  };
}

/** The paths that lie in no other one. */
function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((each) => each !== path && isInside(path, each)));
}

/**
 * The directories above `path`, up to the one that was searched. A directory with a mount on it
 * cannot be renamed, but one above it could be, and another could replace it.
 */
function between(path: string, searched: readonly string[]): string[] {
  const top = searched.find((each) => isInside(path, each));
  if (top === undefined) return [];
  const above: string[] = [];
  for (let at = dirname(path); isInside(at, top) && at !== "/"; at = dirname(at)) above.push(at);
  return above;
}

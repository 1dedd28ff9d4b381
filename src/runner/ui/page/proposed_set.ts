/// <reference lib="dom" />
/** A permission set made from the needs of calls. */
import { chipsOf } from "./chips.ts";
import type { Need } from "./page_types.ts";

/** The number of files of one directory that stand for the whole directory. */
const MIN_FILES = 3;

const parentOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

/**
 * Merges paths: three paths in the same directory become this directory, and a path inside of another
 * one is left out. A directory directly below the root is never proposed for the files in it.
 */
export function mergePaths(paths: readonly string[]): string[] {
  const inside = new Map<string, number>();
  for (const path of new Set(paths)) {
    inside.set(parentOf(path), (inside.get(parentOf(path)) ?? 0) + 1);
  }
  const merged = new Set(paths.map((path) => {
    const parent = parentOf(path);
    const isWide = parent.split("/").length < 3;
    return !isWide && inside.get(parent)! >= MIN_FILES ? parent : path;
  }));
  return [...merged].filter((path) =>
    ![...merged].some((other) => other !== path && path.startsWith(`${other.replace(/\/$/, "")}/`))
  ).sort();
}

/** A call that is over, of the page or of the audit log. */
export interface EndedCall {
  /** The exit code. */
  exit: number;
  /** The permissions that it needed. */
  needs?: readonly Need[];
  /** Its permission flags. Without them, the programs that a command has started are not known. */
  flags?: readonly string[];
}

/**
 * The permissions that a call has used; none for a call that failed or was refused. A call that starts
 * programs has used each program that its flags name.
 */
export function usedNeeds({ exit, needs = [], flags = [] }: EndedCall): Need[] {
  if (exit !== 0) return [];
  const programs = needs.some(({ name }) => name === "run") ? chipsOf(flags) : [];
  return [
    ...needs,
    ...programs.flatMap(({ side, kind, value }) => {
      if (side !== "allow" || kind !== "run" || value === undefined) return [];
      return [{ name: kind, command: value, granted: true, denied: false, flag: "" }];
    }),
  ];
}

/** The permission set that covers the needs of calls, by the kinds of permissions. */
export function proposedSet(needs: readonly Need[]): Record<string, string[]> {
  const values = new Map<string, Set<string>>();
  for (const need of needs) {
    const value = needValue(need);
    if (value === "" || need.denied) continue;
    values.set(need.name, (values.get(need.name) ?? new Set()).add(value));
  }
  return Object.fromEntries(
    [...values].sort(([a], [b]) => a < b ? -1 : 1).map(([kind, all]) => [
      kind,
      kind === "read" || kind === "write" ? mergePaths([...all]) : [...all].sort(),
    ]),
  );
}

/** The path, host or program of a need. */
export const needValue = ({ name: _, granted: _g, denied: _d, flag: _f, why: _w, ...rest }: Need) =>
  Object.values(rest).filter((each) => typeof each === "string").join(" ");

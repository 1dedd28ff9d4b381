import { Yielder } from "../../base/async/yielder.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import type { Verdict } from "./ignore_rules.ts";
import { IgnoreTree } from "./ignore_tree.ts";
import { compareNames } from "./paths.ts";
import { NOT_GRANTED, type Skipped, unreadableReason } from "./skipped.ts";

/** A file or symlink that a walk has found. */
export interface WalkEntry {
  /** Its path below the root's real path, not resolved further. */
  path: string;
  /** The same path, relative to the root. */
  relative: string;
  /** True if it is a symlink, whose target is not checked. */
  isSymlink: boolean;
  /** True if rules exclude it; only with `tellIgnored`. */
  isIgnored: boolean;
}

/** The part of a call's context that a walk needs. */
export type WalkContext = Pick<ToolContext, "signal" | "mayRead" | "repositories">;

/** The options of a walk. */
export interface WalkOptions {
  /** A directory's real path. */
  root: string;
  /** The context of the call. The walk throws the reason of its signal. */
  ctx: WalkContext;
  /** The receiver of entries that could not be read, by their path relative to the root. */
  skipped: Pick<Skipped, "add">;
  /** The verdict of the caller's globs on a path; it overrides every other rule. */
  choose?(path: string, isDirectory: boolean): Verdict;
  /** The verdict of the caller's file types on a file; ignore rules override it. */
  chooseType?(name: string): Verdict;
  /** True to include hidden entries. */
  hidden?: boolean;
  /** Names that are excluded at every depth; this overrides every other rule. */
  leaveOut?: ReadonlySet<string>;
  /** The directory from which on git's ignore files apply outside repositories too. */
  gitRulesFrom?: string;
  /** True to yield excluded files too, with `isIgnored`. */
  tellIgnored?: boolean;
  /** Called for each directory that ignore rules exclude, with its path relative to the root. */
  passBy?(relative: string): void;
  /** Returns whether to enter a directory, by its path relative to the root. */
  enter?(relative: string): boolean;
  /**
   * Returns whether the caller names an entry outright, by its path relative to the root. Rules
   * that exclude it or all its contents then do not apply, nor do other rules below it.
   */
  exempt?(relative: string): boolean;
}

interface Level {
  directory: string;
  relative: string;
  entries: Deno.DirEntry[];
  next: number;
  rules: IgnoreTree;
  /** True if ignore rules do not apply here. */
  isFree: boolean;
}

/**
 * Walks a directory depth first, with names in byte order, and yields files and symlinks. Excludes
 * the same entries as ripgrep: hidden and ignored ones. Never follows symlinks, and never yields
 * pipes, sockets and devices. Entries that cannot be read go to `skipped`.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkEntry> {
  const yielder = new Yielder(options.ctx.signal);
  const stack: Level[] = [];
  enter(options, stack, { directory: options.root, relative: "", isFree: false });
  while (stack.length > 0) {
    if (yielder.isDue) await yielder.yield();
    const level = stack.at(-1)!;
    const entry = level.entries[level.next++];
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    const path = entryPath(level.directory, entry.name);
    const relative = level.relative === "" ? entry.name : `${level.relative}/${entry.name}`;
    const isIgnored = isLeftOut(options, level, { entry, path, relative });
    if (entry.isDirectory) {
      if (isIgnored) {
        if (!options.leaveOut?.has(entry.name)) options.passBy?.(relative);
      } else if (options.enter?.(relative) ?? true) {
        const isFree = level.isFree || isNamedOut(options, level.rules, { path, relative });
        enter(options, stack, { directory: path, relative, isFree });
      }
    } else if ((entry.isFile || entry.isSymlink) && (!isIgnored || options.tellIgnored)) {
      if (options.ctx.mayRead(path)) {
        yield { path, relative, isSymlink: entry.isSymlink, isIgnored };
      } else if (!isIgnored) options.skipped.add(relative, NOT_GRANTED);
    }
  }
}

/** The path of an entry of a directory. */
export function entryPath(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

function enter(
  options: WalkOptions,
  stack: Level[],
  place: { directory: string; relative: string; isFree: boolean },
): void {
  const { directory, relative } = place;
  if (!options.ctx.mayRead(directory)) {
    options.skipped.add(relative || directory, NOT_GRANTED);
    return;
  }
  try {
    const entries = [...Deno.readDirSync(directory)];
    entries.sort((a, b) => compareNames(a.name, b.name));
    const above = stack.at(-1)?.rules ?? IgnoreTree.above(directory, options.ctx.repositories);
    const rules = new IgnoreTree(directory, new Set(entries.map((entry) => entry.name)), above);
    stack.push({ ...place, entries, next: 0, rules });
  } catch (error) {
    options.skipped.add(relative || directory, unreadableReason(error, directory));
  }
}

/** Applies the rules in ripgrep's order: the caller's globs, ignore rules, types, hidden names. */
function isLeftOut(
  options: WalkOptions,
  level: Level,
  found: { entry: Deno.DirEntry; path: string; relative: string },
): boolean {
  const { entry, path, relative } = found;
  const isDirectory = entry.isDirectory;
  if (options.leaveOut?.has(entry.name)) return true;
  const chosen = options.choose?.(path, isDirectory);
  if (chosen !== undefined) return chosen === "ignore";
  const ruled = level.isFree
    ? undefined
    : level.rules.verdict(path, isDirectory, options.gitRulesFrom);
  if (ruled === "ignore") return !(options.exempt?.(relative) ?? false);
  const typed = isDirectory ? undefined : options.chooseType?.(entry.name);
  if (typed === "ignore") return true;
  if (options.hidden || ruled === "take" || typed === "take") return false;
  return entry.name.startsWith(".");
}

/** Returns whether rules exclude a directory that is named outright, or all its contents. */
function isNamedOut(
  { exempt, gitRulesFrom }: WalkOptions,
  rules: IgnoreTree,
  { path, relative }: { path: string; relative: string },
): boolean {
  if (!exempt?.(relative)) return false;
  return rules.verdict(path, true, gitRulesFrom) === "ignore" ||
    rules.verdict(entryPath(path, "\uFFFD"), false, gitRulesFrom) === "ignore";
}

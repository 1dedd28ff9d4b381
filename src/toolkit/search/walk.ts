import { Yielder } from "../../base/async/yielder.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { IgnoreTree } from "./ignore_tree.ts";
import { compareNames, entryPath } from "./paths.ts";
import { isNotUtf8, NOT_GRANTED, type Skipped } from "./skipped.ts";

/** A file or symlink that a walk has found. */
export interface WalkEntry {
  /** Its path below the root's real path, not resolved further. */
  path: string;
  /** True if it is a symlink, whose target is not checked. */
  isSymlink: boolean;
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
  /** The directory from which on git's ignore files apply outside repositories too. */
  gitRulesFrom?: string;
}

interface Level {
  directory: string;
  relative: string;
  entries: Deno.DirEntry[];
  next: number;
  rules: IgnoreTree;
}

/**
 * Walks a directory depth first, with names in byte order, and yields files and symlinks. Excludes
 * the same entries as ripgrep: hidden and ignored ones. Never follows symlinks, and never yields
 * pipes, sockets and devices. Entries that cannot be read go to `skipped`.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkEntry> {
  const yielder = new Yielder(options.ctx.signal);
  const stack: Level[] = [];
  enter(options, stack, { directory: options.root, relative: "" });
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
    const ruled = level.rules.verdict(path, entry.isDirectory, options.gitRulesFrom);
    if (ruled === undefined ? entry.name.startsWith(".") : ruled === "ignore") continue;
    if (entry.isDirectory) enter(options, stack, { directory: path, relative });
    else if (entry.isFile || entry.isSymlink) {
      if (options.ctx.mayRead(path)) yield { path, isSymlink: entry.isSymlink };
      else options.skipped.add(relative, NOT_GRANTED);
    }
  }
}

function enter(
  options: WalkOptions,
  stack: Level[],
  place: { directory: string; relative: string },
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

/** A short reason why a path could not be read. */
export function unreadableReason(error: unknown, path = ""): string {
  if (isNotUtf8(path, error)) return "its name is not UTF-8, so it cannot be opened";
  if (error instanceof Deno.errors.NotCapable) return NOT_GRANTED;
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotFound) return "it was removed";
  return error instanceof Error ? error.message : String(error);
}

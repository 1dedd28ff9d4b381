/** Finds files of rules on which ripgrep waits, because they are named pipes or devices. */

import { dirname } from "@std/path/posix/dirname";
import { pathRules } from "../../base/fs/path_rules.ts";
import { Yielder } from "../../base/async/yielder.ts";
import { tryReadText } from "../../base/fs/system_file.ts";
import { entryPath } from "./paths.ts";
import { readEntries } from "./small_tree.ts";

/** How long to look below the root, in milliseconds. */
const MAX_MS = 2_000;

/** The names of files that ripgrep reads in each directory. */
const NAMES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

/**
 * Whether a file of rules that counts below `root` is a named pipe or a device. Looks for two
 * seconds at most. Throws the reason of the signal.
 */
export async function hasBlockingRules(root: string, signal: AbortSignal): Promise<boolean> {
  for (let at = dirname(root);; at = dirname(at)) {
    if ([...NAMES].some((name) => isBlocking(at, name))) return true;
    if (at === dirname(at)) break;
  }
  const end = performance.now() + MAX_MS;
  const yielder = new Yielder(signal);
  const pending = [root];
  for (let at = pending.pop(); at !== undefined && performance.now() < end; at = pending.pop()) {
    if (yielder.isDue) await yielder.yield();
    for (const { name, isDirectory } of readEntries(at)) {
      if (NAMES.has(name) && isBlocking(at, name)) return true;
      if (isDirectory && name !== ".git") pending.push(entryPath(at, name));
    }
  }
  return false;
}

function isBlocking(directory: string, name: string): boolean {
  const path = entryPath(directory, name);
  if (isSpecial(path)) return true;
  if (name !== ".git") return false;
  if (isSpecial(`${path}/info/exclude`)) return true;
  // In a worktree the file names the repository, which names the one that they share.
  const named = tryReadText(path)?.replace(/^gitdir:/, "").trim();
  if (named === undefined) return false;
  const common = `${pathRules.resolve(directory, named)}/commondir`;
  if (isSpecial(common)) return true;
  const shared = tryReadText(common)?.trim();
  return shared !== undefined &&
    isSpecial(`${pathRules.resolve(dirname(common), shared)}/info/exclude`);
}

function isSpecial(path: string): boolean {
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    return !isFile && !isDirectory;
  } catch {
    return false;
  }
}

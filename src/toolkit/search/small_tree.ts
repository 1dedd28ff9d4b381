/** Tells whether a tree is so small that one thread searches it sooner than several do. */

import { lookAt } from "../../base/fs/path_status.ts";
import { entryPath } from "./paths.ts";

/** The most entries of a small tree, and the most bytes of its files if they are read. */
const [MAX_ENTRIES, MAX_BYTES] = [64, 1024 * 1024];

/** The most bytes that a file system needs for so many entries. A longer directory is not read. */
const MAX_LIST_BYTES = 16 * 1024;

/**
 * Whether the tree below `root` is small, so that ripgrep needs only one thread. A second thread
 * sleeps for a millisecond when it finds no work, which a small search would wait for.
 */
export function isSmallTree(root: string, { readsFiles }: { readsFiles: boolean }): boolean {
  let [entries, bytes] = [MAX_ENTRIES, MAX_BYTES];
  const pending = [root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if ((lookAt(at)?.size ?? 0) > MAX_LIST_BYTES) return false;
    for (const { name, isDirectory } of readEntries(at)) {
      if (--entries < 0) return false;
      const path = entryPath(at, name);
      if (isDirectory) pending.push(path);
      else if (readsFiles) bytes -= lookAt(path)?.size ?? 0;
    }
  }
  return bytes >= 0;
}

/** The entries of a directory; none if it cannot be read. */
export function readEntries(directory: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(directory)];
  } catch {
    return [];
  }
}

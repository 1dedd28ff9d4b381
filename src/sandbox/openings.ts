import { join } from "@std/path/posix/join";
import { isInside } from "./paths.ts";

/** What a wall that only opens has to open, so that some paths in it stay shut. */
export interface Openings {
  /** Files and folders that are open with all that they hold. */
  open: string[];
  /** Folders that are open by parts, of which the names can be listed. */
  listed: string[];
}

/**
 * What is left of `folders` around the `closed` paths: a folder that holds one
 * of them is taken by its entries, all but that one. Symlinks are none of it:
 * what they lead to is open on its own account or not at all.
 */
export function openingsAround(folders: readonly string[], closed: readonly string[]): Openings {
  const openings: Openings = { open: [], listed: [] };
  const visit = (path: string): void => {
    if (closed.some((each) => isInside(path, each))) return;
    if (!closed.some((each) => isInside(each, path))) {
      openings.open.push(path);
      return;
    }
    openings.listed.push(path);
    for (const entry of entriesOf(path)) {
      if (!entry.isSymlink) visit(join(path, entry.name));
    }
  };
  folders.forEach(visit);
  return openings;
}

function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return [];
  }
}

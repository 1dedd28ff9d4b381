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
 * of them is taken by its entries, all but that one and other names of the same
 * file. Symlinks are none of it: what they lead to is open on its own account or
 * not at all.
 */
export function expandExcept(folders: readonly string[], closed: readonly string[]): Openings {
  const openings: Openings = { open: [], listed: [] };
  let linked: Set<string> | undefined;
  const visit = (path: string): void => {
    if (closed.some((each) => isInside(path, each))) return;
    if (!closed.some((each) => isInside(each, path))) {
      openings.open.push(path);
      return;
    }
    openings.listed.push(path);
    linked ??= new Set(closed.flatMap((each) => linkedFile(each) ?? []));
    for (const entry of entriesOf(path)) {
      const inner = join(path, entry.name);
      const isOther = linked.size > 0 && entry.isFile && linked.has(linkedFile(inner) ?? "");
      if (!entry.isSymlink && !isOther) visit(inner);
    }
  };
  folders.forEach(visit);
  return openings;
}

/** Which file it is, when it is one with several names: another name of a closed one stays closed. */
function linkedFile(path: string): string | undefined {
  try {
    const { isFile, nlink, dev, ino } = Deno.lstatSync(path);
    return isFile && (nlink ?? 0) > 1 ? `${dev}:${ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** The entries of a directory, none where it cannot be read. */
export function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return [];
  }
}

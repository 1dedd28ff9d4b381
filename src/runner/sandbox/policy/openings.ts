import { join } from "@std/path/posix/join";
import { isInside } from "./paths.ts";

/** The paths to allow in a sandbox that can only allow, so that some paths in them stay closed. */
interface Openings {
  /** Files and directories that are open with all their contents. */
  open: string[];
  /** Directories that are partly open: their names can be listed. */
  listed: string[];
}

/**
 * Returns `directories` without the `closed` paths. A directory that contains a closed path is
 * replaced by its other entries, except further names of the same file. Symlinks are left out:
 * their targets are allowed separately or not at all.
 */
export function expandExcept(directories: readonly string[], closed: readonly string[]): Openings {
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
  directories.forEach(visit);
  return openings;
}

/** The identity of a file with several names, because every name of a closed file stays closed. */
function linkedFile(path: string): string | undefined {
  try {
    const { isFile, nlink, dev, ino } = Deno.lstatSync(path);
    return isFile && (nlink ?? 0) > 1 ? `${dev}:${ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** The entries of a directory; empty if it cannot be read. */
export function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return [];
  }
}

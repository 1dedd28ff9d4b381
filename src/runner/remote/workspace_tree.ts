/** The files of a workspace: how many there are, and how to remove them. */

/** A number of files and their bytes on the disk. */
export interface TreeSize {
  /** The bytes that the files take on the disk. */
  bytes: number;
  /** The number of files, directories and links. */
  files: number;
}

/** The bytes of a block, in which the system tells what a file takes (`stat(2)`). */
const BLOCK_BYTES = 512;

/**
 * Counts what lies below a directory, without following links. Stops as soon as one of the numbers is
 * above `most`. A directory that cannot be listed counts as too large. Files that come or go meanwhile
 * may be counted or not.
 */
export async function sizeOf(directory: string, most: TreeSize): Promise<TreeSize> {
  const size = { bytes: 0, files: 0 };
  const waiting = [directory];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    try {
      for await (const { name, isDirectory } of Deno.readDir(next)) {
        const path = `${next}/${name}`;
        const status = await Deno.lstat(path).catch(() => undefined);
        size.files++;
        size.bytes += (status?.blocks ?? 0) * BLOCK_BYTES;
        if (size.bytes > most.bytes || size.files > most.files) return size;
        if (isDirectory) waiting.push(path);
      }
    } catch (error) {
      // A call could hide files in a directory that nobody can list.
      if (error instanceof Deno.errors.PermissionDenied) {
        return { bytes: Infinity, files: Infinity };
      }
    }
  }
  return size;
}

/** Removes a directory and everything in it, also what a call has made unreadable. */
export async function removeTree(directory: string): Promise<void> {
  try {
    return await Deno.remove(directory, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
  }
  await openDirectories(directory);
  await Deno.remove(directory, { recursive: true });
}

/** Gives this user all rights to the directories below one. */
async function openDirectories(directory: string): Promise<void> {
  await Deno.chmod(directory, 0o700);
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory) await openDirectories(`${directory}/${name}`);
  }
}

import { dirname } from "@std/path/posix/dirname";

/**
 * Returns whether a file may exist at a path that could not be read because of `error`. A program
 * of this user can make its own directory unreadable, and that must not disable the settings in it.
 * A directory of another user has no files of this user.
 */
export function mayExist(path: string, error: unknown): boolean {
  const isMissing = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
  return !isMissing && isOwn(dirname(path));
}

/** Returns whether the user owns the nearest readable directory, from this one upwards. */
function isOwn(folder: string): boolean {
  try {
    return Deno.lstatSync(folder).uid === Deno.uid();
  } catch {
    return folder !== "/" && isOwn(dirname(folder));
  }
}

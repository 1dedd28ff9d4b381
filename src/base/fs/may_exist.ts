import { dirname } from "@std/path/posix/dirname";

/**
 * Whether something may be at a path that cannot be looked at, for the `error` of the system:
 * what a program of this user's can close must not take what it holds out of force.
 * Within another user's folder there is nothing of this user's.
 */
export function mayExist(path: string, error: unknown): boolean {
  const isMissing = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
  return !isMissing && isOwn(dirname(path));
}

/** Whether the nearest folder that can be looked at, up from this one, is the user's. */
function isOwn(folder: string): boolean {
  try {
    return Deno.lstatSync(folder).uid === Deno.uid();
  } catch {
    return folder !== "/" && isOwn(dirname(folder));
  }
}

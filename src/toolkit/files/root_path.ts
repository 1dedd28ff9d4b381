import { checkPath } from "./check_path.ts";
import { type FileTarget, systemError } from "../../base/fs/system_error.ts";
import { quotePath } from "../../base/text/quote_path.ts";

/**
 * Returns a path relative to the root unchanged. Throws when it is absolute,
 * climbs out of the root with `..`, or no file can have it. Looks at the text
 * alone: `~`, `%2e` and `file:` are names like any other.
 */
export function checkRootPath(path: string): string {
  checkPath(path);
  if (path.startsWith("/")) throw outside(path, "it is absolute");
  let depth = 0;
  for (const name of path.split("/")) {
    if (name === "..") depth--;
    else if (name !== "" && name !== ".") depth++;
    if (depth < 0) throw outside(path, "it leaves the root");
  }
  return path;
}

/**
 * The file that a path relative to the root names. Throws when a symbolic link
 * takes it out of the root, and for what cannot be resolved.
 */
export function rootTarget(
  context: { cwd: string; path(path: string): string },
  { given, action }: { given: string; action: FileTarget["action"] },
): FileTarget {
  checkRootPath(given);
  let path: string;
  try {
    path = context.path(given);
  } catch (error) {
    throw systemError(error, { given, action, path: given });
  }
  const inside = context.cwd === "/" ? "/" : `${context.cwd}/`;
  if (path === context.cwd || path.startsWith(inside)) return { given, action, path };
  throw outside(given, "a symbolic link takes it out of the root");
}

function outside(path: string, why: string): Error {
  return new Error(`Cannot use the path ${quotePath(path)}: ${why}; give a path below the root`);
}

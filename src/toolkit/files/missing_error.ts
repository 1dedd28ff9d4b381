import { nearPaths } from "./near_paths.ts";
import { quotePath } from "../../base/text/quote_path.ts";
import { cannot, type FileTarget } from "../../base/fs/system_error.ts";

/**
 * The error for a file that does not exist: it names up to three near siblings,
 * or the folder that is missing too, as far as the call may know of them.
 */
export function missingError(
  target: FileTarget,
  mayRead: (path: string) => boolean,
): Error {
  const missing = `${cannot(target)}: no such ${target.action === "list" ? "folder" : "file"}`;
  const near = nearPaths(target.path, mayRead).map((path) => shown(path, target));
  const hint = near.length > 0
    ? `; near it: ${near.map(quotePath).join(", ")}`
    : folderHint(target, mayRead);
  return new Error(missing + hint, { cause: { systemError: "ENOENT", near } });
}

/** A sibling written as the caller wrote the path. */
function shown(path: string, target: FileTarget): string {
  const given = target.given.replace(/\/+$/, "");
  const folder = given.slice(0, given.lastIndexOf("/") + 1);
  return folder + path.slice(path.lastIndexOf("/") + 1);
}

function folderHint(
  target: FileTarget,
  mayRead: (path: string) => boolean,
): string {
  const folder = target.path.slice(0, target.path.lastIndexOf("/")) || "/";
  const given = target.given.slice(0, target.given.lastIndexOf("/"));
  if (given === "" || !mayRead(folder)) return "";
  try {
    Deno.statSync(folder);
    return "";
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return "";
    return `; its folder ${quotePath(given)} does not exist either`;
  }
}

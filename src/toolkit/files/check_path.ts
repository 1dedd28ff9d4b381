/** Checks of the text of a path, which never look at the disk. */

import { thousands } from "../../base/text/amounts.ts";
import { quotePath } from "../../base/text/quote.ts";

const MAX_PATH = 4096;
const MAX_NAME = 255;

/**
 * Returns `path` unchanged when a file can have it. Throws for a NUL character, a name of more than
 * 255 bytes and a path of more than 4,096 bytes, which no file system takes.
 */
export function checkPath(path: string): string {
  if (path.includes("\0")) {
    throw new Error(
      `Cannot use the path ${shortened(path)}: it holds a NUL character`,
    );
  }
  if (path.length * 3 > MAX_NAME) checkLengths(path);
  return path;
}

/** As {@link checkPath}, for the path of a file: throws for a path that ends in a slash. */
export function checkFilePath(path: string): string {
  if (path.length > 1 && path.endsWith("/")) {
    throw new Error(`Cannot use the path ${shortened(path)}: its last slash makes it a folder's`);
  }
  return checkPath(path);
}

/**
 * Returns a path relative to the root unchanged. Throws when it is absolute, leaves the root with
 * `..`, or no file can have it. `~`, `%2e` and `file:` are names like any other.
 */
export function checkRootPath(path: string): string {
  checkPath(path);
  if (path.startsWith("/")) throw outsideRoot(path, "it is absolute");
  let depth = 0;
  for (const name of path.split("/")) {
    if (name === "..") depth--;
    else if (name !== "" && name !== ".") depth++;
    if (depth < 0) throw outsideRoot(path, "it leaves the root");
  }
  return path;
}

/** The error for a path that is not below the root. */
export function outsideRoot(path: string, why: string): Error {
  return new Error(`Cannot use the path ${quotePath(path)}: ${why}; give a path below the root`);
}

function checkLengths(path: string): void {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(path).length;
  if (bytes > MAX_PATH) {
    throw new Error(
      `Cannot use the path ${shortened(path)}: it has ${thousands(bytes)} bytes, and a path has ${
        thousands(MAX_PATH)
      } at most`,
    );
  }
  for (const name of path.split("/")) {
    const length = encoder.encode(name).length;
    if (length <= MAX_NAME) continue;
    throw new Error(
      `Cannot use the path ${shortened(path)}: the name ${shortened(name)} has ${
        thousands(length)
      } bytes, and a name has ${MAX_NAME} at most`,
    );
  }
}

function shortened(path: string): string {
  return path.length <= 120 ? quotePath(path) : `${quotePath(path.slice(0, 100))}...`;
}

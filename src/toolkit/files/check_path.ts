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
  if (path.includes("\0")) throw unusable(path, "it contains a NUL character");
  if (path.length * 3 > MAX_NAME) checkLengths(path);
  return path;
}

/** As {@link checkPath}, for the path of a file: throws for a path that ends in a slash. */
export function checkFilePath(path: string): string {
  if (path.length > 1 && path.endsWith("/")) {
    throw unusable(path, "its trailing slash makes it a directory");
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
  return new Error(
    `Cannot use the path ${quotePath(path)}: ${why}; give a path relative to the root`,
  );
}

function checkLengths(path: string): void {
  const sizeOf = (text: string) => new TextEncoder().encode(text).length;
  const bytes = sizeOf(path);
  if (bytes > MAX_PATH) {
    const most = thousands(MAX_PATH);
    throw unusable(path, `it has ${thousands(bytes)} bytes, and a path has ${most} at most`);
  }
  const name = path.split("/").find((name) => sizeOf(name) > MAX_NAME);
  if (name === undefined) return;
  const fault = `has ${thousands(sizeOf(name))} bytes, and a name has ${MAX_NAME} at most`;
  throw unusable(path, `the name ${shortened(name)} ${fault}`);
}

function unusable(path: string, why: string): Error {
  return new Error(`Cannot use the path ${shortened(path)}: ${why}`);
}

function shortened(path: string): string {
  return path.length <= 120 ? quotePath(path) : `${quotePath(path.slice(0, 100))}...`;
}

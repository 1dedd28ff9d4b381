import { thousands } from "../../base/text/amounts.ts";
import { quotePath } from "../../base/text/quote_path.ts";

const MAX_PATH = 4096;
const MAX_NAME = 255;

/**
 * Returns `path` unchanged when a file can have it. Throws for what no file
 * system takes: a NUL character, a name of more than 255 bytes, a path of more
 * than 4,096 bytes. Looks at the text alone, never at the disk.
 */
export function checkPath(path: string): string {
  if (path.includes("\0")) {
    throw new Error(
      `Cannot use the path ${shown(path)}: it holds a NUL character`,
    );
  }
  if (path.length * 3 > MAX_NAME) checkLengths(path);
  return path;
}

/** As {@link checkPath}, for a path that has to name a file: throws for one that ends in a slash. */
export function checkFilePath(path: string): string {
  if (path.length > 1 && path.endsWith("/")) {
    throw new Error(`Cannot use the path ${shown(path)}: its last slash makes it a folder's`);
  }
  return checkPath(path);
}

function checkLengths(path: string): void {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(path).length;
  if (bytes > MAX_PATH) {
    throw new Error(
      `Cannot use the path ${shown(path)}: it has ${thousands(bytes)} bytes, and a path has ${
        thousands(MAX_PATH)
      } at most`,
    );
  }
  for (const name of path.split("/")) {
    const length = encoder.encode(name).length;
    if (length <= MAX_NAME) continue;
    throw new Error(
      `Cannot use the path ${shown(path)}: the name ${shown(name)} has ${
        thousands(length)
      } bytes, and a name has ${MAX_NAME} at most`,
    );
  }
}

function shown(path: string): string {
  return path.length <= 120 ? quotePath(path) : `${quotePath(path.slice(0, 100))}...`;
}

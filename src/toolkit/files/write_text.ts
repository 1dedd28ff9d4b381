import { plural } from "../../base/text/amounts.ts";
import { atomicCreate, atomicWrite } from "../../base/fs/atomic_write.ts";
import { lockFile } from "../../base/fs/file_lock.ts";
import { quotePath } from "../../base/text/quote.ts";
import { CallError } from "../../base/errors.ts";
import { errorCode } from "../../base/error_code.ts";
import { cannot, type FileTarget, systemError } from "../../base/fs/system_error.ts";

/**
 * Makes `content` the whole of a file, in UTF-8, making its folders when they are missing, and says
 * what it did: `Created "/x" (12 lines)`. Throws a readable error, and then the file is as it was.
 */
export async function writeText(
  target: FileTarget,
  { content, signal }: { content: string; signal: AbortSignal },
): Promise<string> {
  const bytes = new TextEncoder().encode(content);
  using locked = await lockFile(target, { signal, read: false });
  if (!locked) makeParents(target);
  atomicWrite(target, { bytes, like: locked?.info });
  const verb = locked ? "Overwrote" : "Created";
  return `${verb} ${quotePath(target.given)} (${plural(lineCount(content), "line")})`;
}

/** Creates the folders above a file. Throws a readable error. */
function makeParents(target: FileTarget): void {
  try {
    Deno.mkdirSync(target.path.slice(0, target.path.lastIndexOf("/")) || "/", { recursive: true });
  } catch (error) {
    throw systemError(error, target);
  }
}

/** The number of lines in a text; a last line without a newline counts. */
function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

/**
 * Makes a missing file with `content`, in UTF-8, and the folders above it, and says so. Throws
 * `invalid_arguments` when the file exists already, and a readable error of the system.
 */
export function createText(target: FileTarget, content: string): string {
  if (!created(target, new TextEncoder().encode(content))) {
    const why = "old_string is empty, which creates a missing file, and this one exists";
    const advice = "give the text to replace, or use Write to replace the whole file";
    throw new CallError("invalid_arguments", `${cannot(target)}: ${why}; ${advice}`);
  }
  return `Created ${quotePath(target.given)} (${plural(lineCount(content), "line")})`;
}

function created(target: FileTarget, bytes: Uint8Array<ArrayBuffer>): boolean {
  makeParents(target);
  try {
    return atomicCreate(target, bytes);
  } catch (error) {
    if (errorCode(error) === "EISDIR") return false;
    throw systemError(error, target);
  }
}

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
  return report(locked ? "Overwrote" : "Created", target, content);
}

/** Creates the folders above a file. Throws a readable error. */
function makeParents(target: FileTarget): void {
  try {
    Deno.mkdirSync(target.path.slice(0, target.path.lastIndexOf("/")) || "/", { recursive: true });
  } catch (error) {
    throw systemError(error, target);
  }
}

/** The report of a write, with the number of lines; a last one without a newline counts. */
function report(verb: string, { given }: FileTarget, text: string): string {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return `${verb} ${quotePath(given)} (${plural(count, "line")})`;
}

/**
 * Makes a missing file with `content`, in UTF-8, and the folders above it, and says so. Throws
 * `invalid_arguments` when the file exists already, and a readable error of the system.
 */
export function createText(target: FileTarget, content: string): string {
  makeParents(target);
  let isNew = false;
  try {
    isNew = atomicCreate(target, new TextEncoder().encode(content));
  } catch (error) {
    if (errorCode(error) !== "EISDIR") throw systemError(error, target);
  }
  if (isNew) return report("Created", target, content);
  const why = "old_string is empty, which creates a missing file, and this one exists";
  const advice = "give the text to replace, or use Write to replace the whole file";
  throw new CallError("invalid_arguments", `${cannot(target)}: ${why}; ${advice}`);
}

import { CallError } from "../../base/errors.ts";
import { errorCode } from "../../base/error_code.ts";
import { plural } from "../../base/text/amounts.ts";
import { atomicCreate } from "../../base/fs/atomic_write.ts";
import { quotePath } from "../../base/text/quote.ts";
import { cannot, type FileTarget, systemError } from "../../base/fs/system_error.ts";
import { lineCount, makeParents } from "./write_text.ts";

/**
 * Makes a missing file with `content`, in UTF-8, and the folders above it, and says so. Throws
 * `invalid_arguments` when there is something already, and a readable error of the system.
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

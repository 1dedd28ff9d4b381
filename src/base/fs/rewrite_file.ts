import { dirname } from "@std/path/posix/dirname";
import { errorCode } from "../error_code.ts";
import { makeDirectories } from "./change_files.ts";
import { readRegular } from "./system_file.ts";
import { atomicCreate, atomicWrite } from "./atomic_write.ts";
import { lockFile } from "./file_lock.ts";
import { statRegular } from "./file_target.ts";
import { quotePath } from "../text/quote.ts";
import { type FileTarget, systemError } from "./system_error.ts";
import { decodeUtf8 } from "../text/utf8.ts";

/** The longest time to wait for another process that has locked the file, in milliseconds. */
const LOCK_MS = 10_000;

/**
 * Replaces the text of a file by the result of `change`, as a whole, also after a crash. Its mode
 * and its byte order mark stay. A missing file counts as empty and is created, with the directories
 * above it. Returns the texts before and after, and what became of the file. No change is lost if
 * several processes do this at once. Throws a readable error, also for an error of `change`, and
 * then the file is unchanged.
 */
export async function rewriteFile(
  target: FileTarget,
  change: (text: string) => string,
): Promise<{ state: "created" | "changed" | "unchanged"; before: string; after: string }> {
  const signal = AbortSignal.timeout(LOCK_MS);
  for (;;) {
    using locked = await lockFile(target, { signal, read: true });
    const [mark, before] = locked === undefined ? ["", ""] : textOf(target);
    let after: string;
    try {
      after = change(before);
    } catch (error) {
      throw unchanged(target, (error as Error).message);
    }
    const bytes = new TextEncoder().encode(mark + after);
    if (after === before) return { state: "unchanged", before, after };
    if (locked !== undefined) {
      atomicWrite(target, { bytes, like: locked.info });
      return { state: "changed", before, after };
    }
    if (makeFile(target, bytes)) return { state: "created", before, after };
  }
}

/** Creates a missing file; `false` when another process was first. */
function makeFile(target: FileTarget, bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    makeDirectories(dirname(target.path));
    return atomicCreate(target, bytes);
  } catch (error) {
    if (errorCode(error) === "EEXIST" && statRegular(target)) return false;
    throw systemError(error, target);
  }
}

/** The byte order mark, or `""`, and the text. */
function textOf(target: FileTarget): [mark: string, text: string] {
  let bytes: Uint8Array;
  try {
    bytes = readRegular(target.path);
  } catch (error) {
    throw systemError(error, target);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw unchanged(target, "it is not valid UTF-8");
  return text.startsWith("\ufeff") ? ["\ufeff", text.slice(1)] : ["", text];
}

function unchanged(target: FileTarget, reason: string): Error {
  return new Error(`Cannot change ${quotePath(target.given)}: ${reason}`);
}

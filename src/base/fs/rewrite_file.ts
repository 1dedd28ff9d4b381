import { dirname } from "@std/path/posix/dirname";
import { errorCode } from "../error_code.ts";
import { readRegular } from "./regular_file.ts";
import { atomicCreate, atomicWrite } from "./atomic_write.ts";
import { lockFile } from "./file_lock.ts";
import { statRegular } from "./file_target.ts";
import { quotePath } from "../text/quote.ts";
import { type FileTarget, systemError } from "./system_error.ts";
import { decodeUtf8 } from "../text/utf8.ts";

/** How long another process may hold the file, in milliseconds. */
const LOCK_MS = 10_000;

/** What became of a file, and its text. */
export interface Rewritten {
  /** Whether it was made, changed or left. */
  state: "created" | "changed" | "unchanged";
  /** What it held before; empty where there was none. */
  before: string;
  /** What it holds. */
  after: string;
}

/**
 * Replaces the text of a file by what `change` makes of it, as a whole, also after a crash;
 * its mode and a mark of its encoding stay. A missing file counts as empty and is made, with
 * the folders above it. Of several that do so at once, none is lost. Throws a readable error,
 * for what `change` throws above all, and then the file is as it was.
 */
export async function rewriteFile(
  target: FileTarget,
  change: (text: string) => string,
): Promise<Rewritten> {
  const signal = AbortSignal.timeout(LOCK_MS);
  for (;;) {
    using locked = await lockFile(target, { signal, read: true });
    const [mark, before] = locked === undefined ? ["", ""] : textOf(target);
    const after = changed(before, { target, change });
    const bytes = new TextEncoder().encode(mark + after);
    if (after === before) return { state: "unchanged", before, after };
    if (locked !== undefined) {
      atomicWrite(target, { bytes, like: locked.info });
      return { state: "changed", before, after };
    }
    if (makeFile(target, bytes)) return { state: "created", before, after };
  }
}

/** Makes a missing file; `false` when another process was first. */
function makeFile(target: FileTarget, bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    Deno.mkdirSync(dirname(target.path), { recursive: true });
    return atomicCreate(target, bytes);
  } catch (error) {
    if (errorCode(error) === "EEXIST" && statRegular(target)) return false;
    throw systemError(error, target);
  }
}

/** The mark of the encoding, if there is one, and the text. */
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

function changed(
  before: string,
  { target, change }: { target: FileTarget; change: (text: string) => string },
): string {
  try {
    return change(before);
  } catch (error) {
    throw unchanged(target, (error as Error).message);
  }
}

function unchanged(target: FileTarget, reason: string): Error {
  return new Error(`Cannot change ${quotePath(target.given)}: ${reason}`);
}

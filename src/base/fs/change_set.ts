/** Changes of several files, of which all are made or none. */

import { dirname } from "@std/path/posix/dirname";
import { errorCode } from "../error_code.ts";
import { quotePath } from "../text/quote.ts";
import { atomicCreate, atomicWrite, type FileOwnership } from "./atomic_write.ts";
import { makeDirectories, removeFile } from "./change_files.ts";
import { NotRegularError, readRegular } from "./system_file.ts";
import { cannot, type FileTarget, systemError } from "./system_error.ts";

/** The largest file that is changed, in bytes. */
export const MAX_CHANGED_BYTES = 64 * 1024 * 1024;

/** The change of one file: what it contains before and after. `null` is a missing file. */
export interface FileChange {
  /** The authorised real path. */
  path: string;
  /** The path as the caller wrote it. */
  given: string;
  /** The bytes before. */
  before: Uint8Array<ArrayBuffer> | null;
  /** The bytes after. */
  after: Uint8Array<ArrayBuffer> | null;
  /** The mode and the owner of the file before, and of the new one. */
  like?: FileOwnership;
}

/** Whether a file has its old or its new bytes by now, or other ones. */
export type ChangeState = "before" | "after" | "other";

/**
 * The state of a file. It is `other` if the path leads through a symlink by now, or to something
 * that is no regular file or cannot be read.
 */
export function changeState({ path, before, after }: FileChange): ChangeState {
  let bytes: Uint8Array | null = null;
  try {
    bytes = readRegular(path, MAX_CHANGED_BYTES, (file) => {
      const real = file.realPath();
      if (real !== undefined && real !== path) throw new Error("it is at another path by now");
    });
  } catch (error) {
    if (error instanceof NotRegularError || errorCode(error) !== "ENOENT") return "other";
    if (leadsThroughLink(path)) return "other";
  }
  return haveSameBytes(bytes, before) ? "before" : haveSameBytes(bytes, after) ? "after" : "other";
}

/** A symlink that leads nowhere looks like a missing file. */
function leadsThroughLink(path: string): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) {
    try {
      if (Deno.lstatSync(at).isSymlink) return true;
    } catch { /* This part is missing too. */ }
  }
  return false;
}

/** Whether two files have the same bytes, or are both missing. */
export function haveSameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/**
 * Gives a file the bytes `to`, when it has the bytes `from`. A file appears and changes as a whole.
 * Throws a readable error, and then the file is as it was.
 */
export function putBytes(
  { path, given, like }: FileChange,
  { from, to }: { from: FileChange["before"]; to: FileChange["after"] },
): void {
  const target: FileTarget = { path, given, action: "patch" };
  if (to === null) {
    if (from !== null) asReadable(target, () => removeFile(path));
  } else if (from !== null) {
    atomicWrite(target, { bytes: to, like });
  } else {
    asReadable(target, () => {
      makeDirectories(dirname(path));
      if (!atomicCreate(target, to, like)) throw changedMeanwhile(target);
    });
  }
}

function asReadable(target: FileTarget, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw systemError(error, target);
  }
}

function changedMeanwhile(target: FileTarget): Error {
  return new Error(`${cannot(target)}: another program changed it just now; read it again`);
}

/** How {@link changeFiles} changes one file, and what it tells before it takes changes back. */
export interface ChangeOptions {
  /** Gives a file other bytes. */
  put?: typeof putBytes;
  /** Called before the first change is taken back. */
  onUndo?(): void;
}

/**
 * Makes all changes. If one cannot be made, those before it are taken back, and its error is thrown.
 * The error names each file that could not be taken back.
 */
export function changeFiles(
  changes: readonly FileChange[],
  { put = putBytes, onUndo }: ChangeOptions = {},
): void {
  const changing = changes.find((change) => changeState(change) !== "before");
  if (changing !== undefined) throw changedMeanwhile({ ...changing, action: "patch" });
  const made: FileChange[] = [];
  try {
    for (const change of changes) {
      put(change, { from: change.before, to: change.after });
      made.push(change);
    }
  } catch (error) {
    if (made.length > 0) onUndo?.();
    const left = undoChanges(made, put);
    if (left.length === 0) throw error;
    const names = left.map(({ given }) => quotePath(given)).join(", ");
    throw new Error(`${(error as Error).message}; and these files could not be restored: ${names}`);
  }
}

/** Takes changes back, the last one first. Returns those for which this failed. */
export function undoChanges(
  changes: readonly FileChange[],
  put: typeof putBytes = putBytes,
): FileChange[] {
  return changes.toReversed().filter((change) => {
    try {
      if (changeState(change) === "after") put(change, { from: change.after, to: change.before });
      return changeState(change) !== "before";
    } catch {
      return true;
    }
  });
}

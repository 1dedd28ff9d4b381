/** The journal of the patches that are being applied: a file for each, in the state directory. */

import { lockIfAny } from "../../base/error_code.ts";
import type { FileChange } from "../../base/fs/change_set.ts";
import { CallError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { quote } from "../../base/text/quote.ts";
import { patchDirectory } from "../state/state_directory.ts";
import { decodeRecord, encodeRecord } from "./patch_record.ts";

const [RECORD, NEW, UNDO] = [".patch", ".new", ".undo"];
/** The age at which a record that was never completed is removed, in milliseconds. */
const STALE_MS = 60_000;
const MAX_TRIES = 20;

/** A record that this process has locked. No other process finishes the patch meanwhile. */
export interface LockedRecord {
  /** The changes of the patch. */
  changes: FileChange[];
  /** Whether the patch is being taken back. */
  isUndone: boolean;
  /** Says that the patch is being taken back. */
  markUndo(): void;
  /** Removes the record: all files are as they shall be. */
  end(): void;
  /** Gives up the lock, and leaves the record to others. */
  release(): void;
}

/**
 * The journal. A patch is recorded before its first change, so that another process can finish it.
 * The process that applies a patch locks its record. The lock ends with the process. Calls
 * cannot reach the journal: the state directory is closed to them.
 */
export class PatchJournal {
  private constructor(readonly path: string) {}

  /** Opens the journal of a state directory; `undefined` if it is missing and `create` is false. */
  static open(directory: string, { create }: { create: boolean }): PatchJournal | undefined {
    const path = patchDirectory(directory);
    try {
      if (create) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
      refuseForeign(directory, Deno.statSync(directory));
      refuseForeign(path, Deno.lstatSync(path));
      return new PatchJournal(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound && !create) return undefined;
      throw cannotKeep(path, error);
    }
  }

  /** Records a patch before its first change. Throws `unavailable` if the disk does not take it. */
  begin(changes: readonly FileChange[]): LockedRecord {
    const name = `${this.path}/${crypto.randomUUID()}`;
    let opened: Deno.FsFile | undefined;
    try {
      const file = opened = this.#create(`${name}${NEW}`);
      lockIfAny(() => file.tryLockSync(true));
      for (const bytes of encodeRecord(changes)) {
        for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
      }
      file.syncSync();
      Deno.renameSync(`${name}${NEW}`, `${name}${RECORD}`);
      return this.#locked(name, file, [...changes]);
    } catch (error) {
      opened?.close();
      removeIfAny(`${name}${NEW}`);
      throw cannotKeep(this.path, error);
    }
  }

  /** The names of the records, without those that were never completed. */
  names(): string[] {
    let entries: Deno.DirEntry[] = [];
    try {
      entries = [...Deno.readDirSync(this.path)];
    } catch { /* Its last patch has ended just now. */ }
    for (const { name } of entries) if (name.endsWith(NEW)) this.#removeStale(name);
    const records = entries.filter(({ name, isFile }) => isFile && name.endsWith(RECORD));
    if (records.length === 0) removeIfAny(this.path);
    return records.map(({ name }) => name.slice(0, -RECORD.length)).sort();
  }

  /** The paths of the files of a patch; none if it has ended. */
  pathsOf(name: string): string[] {
    try {
      return decodeRecord(Deno.readFileSync(`${this.path}/${name}${RECORD}`))
        .map(({ path }) => path);
    } catch {
      return [];
    }
  }

  /** Takes the lock of a record. Returns `ended` if it is gone, and `busy` if another has it. */
  lock(name: string): LockedRecord | "busy" | "ended" {
    const base = `${this.path}/${name}`;
    let file: Deno.FsFile;
    try {
      file = Deno.openSync(`${base}${RECORD}`, { read: true, write: true });
    } catch {
      return "ended";
    }
    try {
      if (!lockIfAny(() => file.tryLockSync(true))) return closed(file, "busy");
      const there = Deno.lstatSync(`${base}${RECORD}`);
      const { ino } = file.statSync();
      if (there.ino !== ino || !isPrivate(there)) return closed(file, "ended");
      const changes = decodeRecord(Deno.readFileSync(`${base}${RECORD}`));
      return this.#locked(base, file, changes);
    } catch {
      return closed(file, "ended");
    }
  }

  #create(path: string): Deno.FsFile {
    for (let tries = 1;; tries++) {
      try {
        return Deno.openSync(path, { createNew: true, read: true, write: true, mode: 0o600 });
      } catch (error) {
        // The end of another patch has just removed the directory.
        if (!(error instanceof Deno.errors.NotFound) || tries === MAX_TRIES) throw error;
        Deno.mkdirSync(this.path, { recursive: true, mode: 0o700 });
      }
    }
  }

  #locked(base: string, file: Deno.FsFile, changes: FileChange[]): LockedRecord {
    return {
      changes,
      isUndone: isThere(`${base}${UNDO}`),
      markUndo: () => Deno.writeFileSync(`${base}${UNDO}`, new Uint8Array(), { mode: 0o600 }),
      end: () => {
        removeIfAny(`${base}${RECORD}`);
        removeIfAny(`${base}${UNDO}`);
        file.close();
        removeIfAny(this.path);
      },
      release: () => file.close(),
    };
  }

  #removeStale(name: string): void {
    try {
      const { mtime } = Deno.lstatSync(`${this.path}/${name}`);
      if (Date.now() - (mtime?.getTime() ?? 0) > STALE_MS) removeIfAny(`${this.path}/${name}`);
    } catch { /* It is complete by now. */ }
  }
}

function closed<T>(file: Deno.FsFile, state: T): T {
  file.close();
  return state;
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes a file or an empty directory, if it is there. */
function removeIfAny(path: string): void {
  try {
    Deno.removeSync(path);
  } catch { /* It is gone, or others need it. */ }
}

function isPrivate({ isFile, uid, mode }: Deno.FileInfo): boolean {
  return isFile && (Deno.build.os === "windows" || uid === Deno.uid() && isClosed(mode));
}

function isClosed(mode: number | null): boolean {
  return ((mode ?? 0) & 0o022) === 0;
}

/** Whoever may write here decides what is written to files, so only the user may. */
function refuseForeign(path: string, { isDirectory, uid, mode }: Deno.FileInfo): void {
  if (!isDirectory) throw new Error(`${quote(path, 4096)} is no directory`);
  if (Deno.build.os === "windows") return;
  if (uid !== Deno.uid()) throw new Error(`${quote(path, 4096)} belongs to another user`);
  if (!isClosed(mode)) throw new Error(`other users can write to ${quote(path, 4096)}`);
}

/** The failure of a patch for which the state directory has no record. No file is changed then. */
function cannotKeep(path: string, error: unknown): CallError {
  const why = `${osErrorMessage(error)}; choose another directory with --state-dir=DIR`;
  return new CallError("unavailable", `Cannot keep patches in ${quote(path, 4096)}: ${why}`);
}

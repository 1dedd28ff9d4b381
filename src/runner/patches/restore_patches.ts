/** Finishes the patches of processes that were killed, or takes them back. */

import { delay } from "@std/async/delay";
import {
  changeState,
  type FileChange,
  type putBytes,
  undoChanges,
} from "../../base/fs/change_set.ts";
import { lockFile } from "../../base/fs/file_lock.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { isInside } from "../sandbox/policy/paths.ts";
import { stateDirectory } from "../state/state_directory.ts";
import { type LockedRecord, PatchJournal } from "./patch_journal.ts";
import { withSafePut } from "./put_safely.ts";

/** The longest time to wait for another process that applies or restores a patch, in milliseconds. */
const WAIT_MS = 30_000;
const PAUSE_MS = 10;
/** The longest time to wait for the lock of a file, in milliseconds. */
const LOCK_MS = 5_000;

/** A patch that was restored. */
export interface RestoredPatch {
  /** Whether all changes are made or none, or why neither is possible. */
  outcome: "finished" | "undone" | "conflict";
  /** The files of the patch. */
  paths: string[];
  /** The files that others have changed since. They stay as they are. */
  left: string[];
}

/**
 * Restores every patch that concerns one of `paths`, or everything below one, before a tool uses
 * them. Waits while another process applies such a patch. Rejects with `unavailable` if that takes
 * too long.
 */
export async function restoreBefore(
  paths: readonly string[],
  { stateDir }: { stateDir?: string },
): Promise<void> {
  const journal = PatchJournal.open(stateDirectory(stateDir), { create: false });
  if (journal === undefined) return;
  const concerns = (path: string) =>
    paths.some((each) => isInside(path, each) || isInside(each, path));
  for (const name of journal.names()) {
    const concerned = journal.pathsOf(name).filter(concerns);
    if (concerned.length === 0) continue;
    const end = performance.now() + WAIT_MS;
    while (await restore(journal, name) === "busy") {
      if (performance.now() < end) {
        await delay(PAUSE_MS);
        continue;
      }
      const why = "another call is still applying a patch to it; try again later";
      throw new CallError("unavailable", `Cannot use ${quote(concerned[0]!, 4096)}: ${why}`);
    }
  }
}

/** Restores every patch whose process has ended. Returns those that it restored. */
export async function restoreAll(directory: string): Promise<RestoredPatch[]> {
  const journal = PatchJournal.open(directory, { create: false });
  const restored: RestoredPatch[] = [];
  for (const name of journal?.names() ?? []) {
    const outcome = await restore(journal!, name);
    if (typeof outcome === "object") restored.push(outcome);
  }
  return restored;
}

async function restore(
  journal: PatchJournal,
  name: string,
): Promise<RestoredPatch | "busy" | "ended"> {
  const record = journal.lock(name);
  if (typeof record === "string") return record;
  const { changes } = record;
  using locks = new DisposableStack();
  try {
    await lockFiles(changes, locks);
    const left = withSafePut((put) => settle(record, put));
    const paths = changes.map(({ path }) => path);
    const outcome = left.length > 0
      ? "conflict"
      : changes.every((change) => changeState(change) === "after")
      ? "finished"
      : "undone";
    record.end();
    return { outcome, paths, left: left.map(({ path }) => path) };
  } catch (error) {
    record.release();
    throw error;
  }
}

/** Edits that wait for a file go on only after the patch is restored. */
async function lockFiles(changes: readonly FileChange[], locks: DisposableStack): Promise<void> {
  const signal = AbortSignal.timeout(LOCK_MS);
  for (const { path, given } of changes.toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    try {
      const locked = await lockFile({ path, given, action: "patch" }, { signal, read: false });
      if (locked !== undefined) locks.use(locked);
    } catch { /* It is no regular file any more, or others do not give it up. */ }
  }
}

/**
 * Makes the changes that are missing. If that is not possible, because others have changed a file
 * since or the system refuses it, takes back those that were made. Returns the files that are
 * neither as before nor as after.
 */
function settle(record: LockedRecord, put: typeof putBytes): FileChange[] {
  const { changes, isUndone } = record;
  const states = changes.map(changeState);
  if (!isUndone && !states.includes("other")) {
    try {
      for (const [at, change] of changes.entries()) {
        if (states[at] === "before") put(change, { from: change.before, to: change.after });
      }
      return [];
    } catch {
      record.markUndo();
    }
  }
  return undoChanges(changes, put);
}

import { pathRules } from "../../base/fs/path_rules.ts";
import { changeFiles, changeState, type FileChange } from "../../base/fs/change_set.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions } from "../call/call.ts";
import { denialText } from "../sandbox/policy/denial_text.ts";
import { decide } from "../sandbox/policy/grants.ts";
import { realPath } from "../sandbox/policy/paths.ts";
import { stateDirectory } from "../state/state_directory.ts";
import { startGuard } from "./patch_guard.ts";
import { type LockedRecord, PatchJournal } from "./patch_journal.ts";
import { withSafePut } from "./put_safely.ts";

/**
 * Makes all changes of a patch, or none, also if this process is killed. They are recorded in the
 * journal, and a guard finishes the patch if this process ends too early. A patch of one file needs
 * neither, because a file changes as a whole. Rejects with `permission_denied` for a path that the
 * flags do not let the call write, and with a readable error if a change fails.
 */
export async function commitPatch(
  changes: readonly FileChange[],
  { grants, program, stateDir, embedded }: Pick<
    CallOptions,
    "grants" | "program" | "stateDir" | "embedded"
  >,
): Promise<void> {
  for (const { path } of changes) refuseUngranted(path, grants);
  if (changes.length < 2) return withSafePut((put) => changeFiles(changes, { put }));
  const directory = stateDirectory(stateDir);
  const journal = PatchJournal.open(directory, { create: true })!;
  // The guard is there before the record, so that no record is ever without one. A library has no
  // command that could be the guard.
  const endGuard = embedded ? undefined : startGuard(directory, program);
  try {
    applyRecorded(journal.begin(changes), changes);
  } finally {
    await endGuard?.();
  }
}

/** Makes the changes of a record. Ends the record, if all files are then as they shall be. */
function applyRecorded(record: LockedRecord, changes: readonly FileChange[]): void {
  try {
    withSafePut((put) => changeFiles(changes, { put, onUndo: () => record.markUndo() }));
    record.end();
  } catch (error) {
    // A file that could not be restored is restored later, if that is possible then.
    const isRestored = changes.every((change) => changeState(change) === "before");
    if (isRestored) record.end();
    else record.release();
    throw error;
  }
}

/** The tool's thread asks for the changes, so the flags are asked again here. */
function refuseUngranted(path: string, grants: CallOptions["grants"]): void {
  if (!pathRules.isAbsolute(path) || realPath(path) !== path) {
    const why = "a symbolic link leads elsewhere by now";
    throw new CallError("tool_failed", `Cannot patch ${quote(path, 4096)}: ${why}`);
  }
  const decision = decide({ name: "write", path }, grants);
  if (!decision.granted) throw new CallError("permission_denied", denialText(decision));
}

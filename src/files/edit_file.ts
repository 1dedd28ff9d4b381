import { amount, byteSize } from "./amounts.ts";
import { atomicWrite } from "./atomic_write.ts";
import { ByteSource, readAll } from "./byte_source.ts";
import { applyEdit, editedSize, type EditPlan, linesOf, planEdit } from "./edit_plan.ts";
import { fileKind } from "./file_kind.ts";
import { type LockedFile, lockFile } from "./file_lock.ts";
import { statRegular } from "./file_target.ts";
import { cannot, type FileTarget } from "./system_error.ts";

const EDIT_LIMIT = 64 * 1024 * 1024;
const LINES_NAMED = 20;

/** What to change in a file. */
export interface Edit {
  /** The text to replace, never empty. */
  oldText: string;
  /** The text that stands there afterwards, literally. */
  newText: string;
  /** Whether every occurrence is meant rather than the only one. */
  all: boolean;
}

/** An edit that was made. */
export interface Edited {
  /** The file before. */
  before: Uint8Array;
  /** What was replaced in it. */
  plan: EditPlan;
}

/**
 * Replaces a text in a file of up to 64 MiB, as a whole and under the lock that
 * all edits take, so that none is lost. Returns `undefined` when there is no
 * such file. Throws a readable error when the text is not there, is there more
 * than once, or the file is binary; then the file is as it was.
 */
export async function editFile(
  target: FileTarget,
  options: { edit: Edit; signal: AbortSignal },
): Promise<Edited | undefined> {
  const { edit, signal } = options;
  using locked = await lockFile(target, { signal, read: true });
  if (!locked) return undefined;
  const before = await readLocked(locked, { target, signal });
  const plan = planEdit(before, edit);
  if (plan.count === 0) {
    const { noMatchError } = await import("./no_match_error.ts");
    throw noMatchError(before, { target, ...edit });
  }
  if (plan.count > 1 && !edit.all) throw manyMatches(before, { plan, target });
  const size = editedSize(before, plan);
  if (size > EDIT_LIMIT) {
    throw new Error(`${cannot(target)}: it would have ${byteSize(size)}, and ${limitText()}`);
  }
  const bytes = applyEdit(before, plan);
  refuseChanged(locked, target);
  atomicWrite(target, { bytes, like: locked.info });
  return { before, plan };
}

async function readLocked(
  { file, info }: LockedFile,
  options: { target: FileTarget; signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  const source = new ByteSource(file, { size: info.size, ...options });
  const { target } = options;
  const bytes = await readAll(source, { limit: EDIT_LIMIT, target, advice: limitText() });
  const kind = fileKind(bytes);
  if (kind.is !== "text") throw new Error(`${cannot(target)}: it is ${kindName(kind)}, not text`);
  return bytes;
}

function kindName(kind: { is: string; name: string }): string {
  return kind.is === "image" ? `a ${kind.name} image` : kind.name;
}

function limitText(): string {
  return `Edit takes files of up to ${byteSize(EDIT_LIMIT)}`;
}

function manyMatches(
  bytes: Uint8Array,
  { plan, target }: { plan: EditPlan; target: FileTarget },
): Error {
  const lines = linesOf(bytes, plan.places.slice(0, LINES_NAMED));
  const more = plan.count - lines.length;
  const named = more > 0
    ? `${lines.join(", ")} and ${amount(more, "more place")}`
    : `${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
  return new Error(
    `${cannot(target)}: old_string is there ${amount(plan.count, "time")}, at lines ${named}; ` +
      "add lines around the one that is meant, or set replace_all",
    { cause: { count: plan.count, lines } },
  );
}

/** Programs that know nothing of the lock may write meanwhile: their work is not overwritten. */
function refuseChanged({ info }: LockedFile, target: FileTarget): void {
  const now = statRegular(target);
  const same = now?.ino === info.ino && now.size === info.size &&
    now.mtime?.getTime() === info.mtime?.getTime();
  if (!same) {
    throw new Error(`${cannot(target)}: another program changed it just now; read it again`);
  }
}

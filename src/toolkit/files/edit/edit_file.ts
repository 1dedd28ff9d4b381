import { byteSize, plural } from "../../../base/text/amounts.ts";
import { changeFile } from "./change_file.ts";
import { refuseConflict } from "./encoding_conflict.ts";
import { applyEdit, editedSize, type EditPlan, linesOf, planEdit } from "./edit_plan.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import type { CallFile } from "../call_file.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINES = 20;

/** An edit that was made. */
export interface Edited {
  /** The file before. */
  before: Uint8Array;
  /** The places that were replaced, and the texts. */
  plan: EditPlan;
}

/**
 * Replaces `oldText`, which is not empty, in a file of up to 64 MiB by `newText`, literally: every
 * occurrence with `all`, otherwise the only one. The file is replaced as a whole and under the lock
 * that all edits take, so that none is lost. Throws a readable error when the file is missing or
 * binary, and when the text is not in it or more than once; then the file is as it was.
 */
export function editFile(
  target: CallFile,
  { edit, signal }: {
    edit: { oldText: string; newText: string; all: boolean };
    signal: AbortSignal;
  },
): Promise<Edited> {
  const planOf = (before: Uint8Array<ArrayBuffer>) => planReplacement(before, { target, edit });
  return editByPlan(target, { planOf, editor: "Edit", signal });
}

/**
 * Plans the replacement of a text, which is not empty, in the bytes of a file. Throws a readable
 * error when the text is not in it, and when it is there more than once or not `count` times.
 */
export async function planReplacement(
  before: Uint8Array<ArrayBuffer>,
  { target, edit }: {
    target: FileTarget;
    edit: { oldText: string; newText: string; all: boolean; count?: number | undefined };
  },
): Promise<EditPlan> {
  const plan = planEdit(before, edit);
  if (plan.count === 0) {
    const { noMatchError } = await import("./no_match_error.ts");
    throw noMatchError(before, { target, ...edit });
  }
  refuseConflict(before, { text: edit.newText, target });
  if (edit.oldText !== edit.newText && isSame(plan)) {
    throw new Error(
      `${cannot(target)}: old_string and new_string differ only in their line endings, and ` +
        `Edit keeps the line endings of the file; use Write to change them`,
    );
  }
  if (edit.count !== undefined && plan.count !== edit.count) {
    const advice = `expected_replacements is ${edit.count}; correct it, or old_string`;
    throw wrongCount(before, { plan, target, advice });
  }
  if (plan.count > 1 && !edit.all) {
    const advice = "include surrounding lines to make it unique, or set replace_all";
    throw wrongCount(before, { plan, target, advice });
  }
  return plan;
}

/**
 * Edits a file of up to 64 MiB as the plan for its bytes says. The message for a file that is too
 * large, before or afterwards, names the `editor`.
 */
export function editByPlan(
  target: CallFile,
  { planOf, editor, signal }: {
    planOf: (before: Uint8Array<ArrayBuffer>) => EditPlan | Promise<EditPlan>;
    editor: string;
    signal: AbortSignal;
  },
): Promise<Edited> {
  const advice = `${editor} takes files of up to ${byteSize(MAX_BYTES)}`;
  const change = async (before: Uint8Array<ArrayBuffer>) => {
    const plan = await planOf(before);
    const size = editedSize(before, plan);
    if (size <= MAX_BYTES) return { before, plan, bytes: applyEdit(before, plan) };
    throw new Error(`${cannot(target)}: it would have ${byteSize(size)}, and ${advice}`);
  };
  return changeFile(target, { limit: MAX_BYTES, advice, signal, change });
}

function isSame({ needle, replacement }: EditPlan): boolean {
  return needle.length === replacement.length &&
    needle.every((byte, at) => byte === replacement[at]);
}

function wrongCount(
  bytes: Uint8Array,
  { plan, target, advice }: { plan: EditPlan; target: FileTarget; advice: string },
): Error {
  const places = plan.places.slice(0, MAX_LINES);
  const lines = [...new Set(linesOf(bytes, places))];
  const more = plan.count - places.length;
  const named = more > 0
    ? `at lines ${lines.join(", ")} and ${plural(more, "more place")}`
    : plan.count === 1
    ? `in line ${lines[0]}`
    : lines.length === 1
    ? `all in line ${lines[0]}`
    : `at lines ${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
  return new Error(
    `${cannot(target)}: old_string occurs ${plural(plan.count, "time")}, ${named}; ${advice}`,
    { cause: { count: plan.count, lines } },
  );
}

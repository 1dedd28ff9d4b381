/** Several replacements in one file, of which all are made or none. */

import { plural } from "../../../base/text/amounts.ts";
import { quotePath } from "../../../base/text/quote.ts";
import type { CallFile } from "../call_file.ts";
import type { Replacement } from "./check_edits.ts";
import { editDiff } from "./edit_diff.ts";
import { editByPlan, type Edited, planReplacement } from "./edit_file.ts";
import { applyEdit, type EditPlan } from "./edit_plan.ts";

const NEWLINE = 10;

/** The edits that were made, and their result as a text. */
export interface EditedSteps extends Edited {
  /** The number of replacements, and the change as a unified diff. */
  text: string;
}

/**
 * Makes several replacements in a file of up to 64 MiB, each in the result of the one before. The
 * file is written once, under the lock that all edits take. Throws a readable error, which names the
 * edit, and then the file is as it was. The edits must be checked.
 */
export async function editInSteps(
  target: CallFile,
  { edits, signal }: { edits: readonly Replacement[]; signal: AbortSignal },
): Promise<EditedSteps> {
  let count = 0;
  const planOf = async (before: Uint8Array<ArrayBuffer>) => {
    let now = before;
    for (const [index, edit] of edits.entries()) {
      signal.throwIfAborted();
      const { old_string: oldText, new_string: newText, replace_all: all = false } = edit;
      const { expected_replacements } = edit;
      try {
        const plan = await planReplacement(now, {
          target,
          edit: { oldText, newText, all, count: expected_replacements },
        });
        count += plan.count;
        now = applyEdit(now, plan);
      } catch (error) {
        const { message, cause } = error as Error;
        if (edits.length === 1) throw error;
        const start = `Edit ${index + 1} of ${edits.length} failed, so none was made. `;
        throw new Error(start + message, { cause });
      }
    }
    return difference(before, now);
  };
  const edited = await editByPlan(target, { planOf, editor: "Edit", signal });
  const diff = editDiff(edited.before, edited.plan);
  const text = `Edited ${quotePath(target.given)}: ${plural(count, "replacement")}\n${diff}`;
  return { ...edited, text };
}

/** The one replacement of whole lines that turns some bytes into others. */
function difference(before: Uint8Array, after: Uint8Array): EditPlan {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // A diff decodes the parts one by one, so that no part may end inside a character.
  start = start === 0 ? 0 : before.lastIndexOf(NEWLINE, start - 1) + 1;
  const lineEnd = before.indexOf(NEWLINE, before.length - end);
  end = end === 0 || lineEnd < 0 ? 0 : before.length - lineEnd - 1;
  return {
    needle: before.subarray(start, before.length - end),
    replacement: after.subarray(start, after.length - end),
    count: 1,
    places: [start],
  };
}

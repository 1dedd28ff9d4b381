import { quotePath } from "../../../base/text/quote.ts";

/** A replacement, as the arguments of a call have it. */
export interface Replacement {
  /** The text to replace. */
  old_string: string;
  /** The text that replaces it. */
  new_string: string;
  /** Whether every occurrence is replaced. */
  replace_all?: boolean;
  /** The number of occurrences that there must be. */
  expected_replacements?: number;
}

/** Throws for edits that cannot be made in any file: none at all, empty or equal texts. */
export function checkEdits(path: string, edits: readonly Replacement[]): void {
  const fail = (why: string) => {
    throw new Error(`Cannot edit ${quotePath(path)}: ${why}`);
  };
  if (edits.length === 0) fail("edits is empty, so nothing would change");
  for (const [index, { old_string, new_string }] of edits.entries()) {
    const name = `edit ${index + 1} of ${edits.length}`;
    if (old_string === "") fail(`${name} has an empty old_string; use Write to create a file`);
    if (old_string === new_string) fail(`old_string and new_string of ${name} are equal`);
  }
}

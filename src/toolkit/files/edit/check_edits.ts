import { type ArgumentProblem, problemIf } from "../../../base/argument_problem.ts";

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

/** The problems of the texts of one edit, which cannot be made in any file. */
export function textProblems(
  { old_string, new_string }: { old_string: string | undefined; new_string: string | undefined },
): ArgumentProblem[] {
  const missing = "old_string and new_string are required, or edits";
  return [
    ...problemIf(old_string === undefined, "/old_string", missing),
    ...problemIf(new_string === undefined, "/new_string", missing),
    ...problemIf(
      old_string !== undefined && old_string === new_string,
      "/new_string",
      "old_string and new_string are equal, so nothing would change",
    ),
  ];
}

/**
 * The problems of edits that cannot be made in any file: none at all, empty or equal texts. `isAlone`
 * is whether the call has no other edit.
 */
export function editsProblems(
  edits: readonly Replacement[],
  { isAlone }: { isAlone: boolean },
): ArgumentProblem[] {
  return [
    ...problemIf(!isAlone, "/edits", "give either edits, or old_string and new_string"),
    ...problemIf(edits.length === 0, "/edits", "edits is empty, so nothing would change"),
    ...edits.flatMap(({ old_string, new_string }, index) => {
      const name = `edit ${index + 1} of ${edits.length}`;
      return [
        ...problemIf(
          old_string === "",
          `/edits/${index}/old_string`,
          `${name} has an empty old_string; use Write to create a file`,
        ),
        ...problemIf(
          old_string === new_string,
          `/edits/${index}/new_string`,
          `old_string and new_string of ${name} are equal`,
        ),
      ];
    }),
  ];
}

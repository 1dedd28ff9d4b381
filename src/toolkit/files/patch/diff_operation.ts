/** The changes of one file, as the Responses API hands them over: a diff without its envelope. */

import { applyHunks } from "./apply_hunks.ts";
import { fileText } from "./file_text.ts";
import { parseHunks } from "./parse_v4a.ts";
import { PatchLines, PatchSyntaxError } from "./patch_lines.ts";

/** A change of one file. `diff` is in the format V4A, without the lines that name the file. */
export type DiffOperation =
  | { type: "create_file"; path: string; diff: string }
  | { type: "update_file"; path: string; diff: string }
  | { type: "delete_file"; path: string };

const HEADERS = {
  ...{ create_file: "Add File", update_file: "Update File", delete_file: "Delete File" },
} as const;

/**
 * The patch of these changes, which the tool `apply_patch` takes. Throws {@link PatchSyntaxError}
 * for a path that takes more than a line, and for a diff with parts of other files.
 */
export function patchOfOperations(operations: readonly DiffOperation[]): string {
  const parts = operations.map((operation) => {
    const { type, path } = operation;
    if (/[\r\n]/.test(path) || path.trim() !== path || path === "") {
      throw new PatchSyntaxError(`${JSON.stringify(path)} cannot be the path of a file`);
    }
    const header = `*** ${HEADERS[type]}: ${path}\n`;
    if (operation.type === "delete_file") return header;
    const { lines } = PatchLines.of(operation.diff);
    const foreign = lines.findIndex((line) => /^\*\*\* (?!End of File)/.test(line.trim()));
    if (foreign >= 0) {
      throw new PatchSyntaxError("the diff of one file names another one", foreign + 1);
    }
    return header + bodyOf(type, lines).map((line) => `${line}\n`).join("");
  });
  return `*** Begin Patch\n${parts.join("")}*** End Patch\n`;
}

/** In the diff of a new file, a last line "+" stands for the newline at its end. */
function bodyOf(type: DiffOperation["type"], lines: readonly string[]): readonly string[] {
  return type === "create_file" && lines.length > 1 && lines.at(-1) === "+"
    ? lines.slice(0, -1)
    : lines;
}

/**
 * The text of a file after a V4A diff of `update_file`, and what was ignored to apply it. Throws
 * {@link PatchSyntaxError}, and an error for a hunk that has no place.
 */
export function applyDiff(before: string, diff: string): { text: string; notes: string[] } {
  const hunks = parseHunks(PatchLines.of(diff));
  const file = fileText(new TextEncoder().encode(before));
  const { text, lost, notes } = applyHunks(file, { hunks, format: "V4A" });
  if (lost === undefined) return { text, notes };
  throw new Error(`Hunk ${lost.number} (line ${lost.hunk.patchLine} of the diff): ${lost.why}`);
}

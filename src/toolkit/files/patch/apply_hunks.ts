import type { FileText } from "./file_text.ts";
import type { Hunk, Patch } from "./patch.ts";
import { type LostHunk, type PlacedHunk, placeHunks } from "./place_hunks.ts";

/** The text after its hunks, or the hunk that has no place. */
export interface AppliedHunks {
  /** The new text, without a byte order mark. */
  text: string;
  /** The first hunk that has no place; the text is then the old one. */
  lost?: LostHunk;
  /** Notes for the caller on what was ignored to find the places. */
  notes: string[];
}

/**
 * Applies hunks to a text. Lines that stay are those of the file, also where the patch has other
 * whitespace. New lines get the line endings of the file. A V4A patch cannot say whether the file
 * ends with a newline, so that the last line always gets one.
 */
export function applyHunks(
  file: FileText,
  { hunks, format }: { hunks: readonly Hunk[]; format: Patch["format"] },
): AppliedHunks {
  const { placed, lost, notes } = placeHunks(file, hunks);
  if (lost !== undefined) return { text: join(file), lost, notes };
  const changed = changedLines(file, placed);
  const last = changed.lines.length - 1;
  if (last < 0) return { text: "", notes };
  const wasOpen = file.lines.length > 0 && file.ends.at(-1) === "";
  const said = hunks.findLast(({ endsWithNewline }) => endsWithNewline !== undefined);
  const isOpen = format === "unified" && (said ? said.endsWithNewline === false : wasOpen);
  if (format === "V4A" && hunks.length > 0 && wasOpen) {
    notes.push("the file had no newline at its end and has one now");
  }
  changed.ends[last] = isOpen ? "" : changed.ends[last] || file.newEnd;
  if (hunks.length === 0) return { text: join(file), notes };
  return { text: join(changed), notes };
}

/** Replaces the lines of the hunks. Each line but the last has a line ending. */
function changedLines(
  { lines, ends, newEnd }: FileText,
  placed: readonly PlacedHunk[],
): Pick<FileText, "lines" | "ends"> {
  const changed: Pick<FileText, "lines" | "ends"> = { lines: [], ends: [] };
  let at = 0;
  const push = (line: string, end: string) => {
    changed.lines.push(line);
    changed.ends.push(end);
  };
  const keep = () => {
    push(lines[at]!, ends[at] || newEnd);
    at++;
  };
  for (const hunk of placed) {
    while (at < hunk.start) keep();
    for (const { kind, text } of hunk.lines) {
      if (kind === "keep") keep();
      else if (kind === "remove") at++;
      else push(text, endAt(ends, at, newEnd));
    }
  }
  while (at < lines.length) keep();
  return changed;
}

/** A new line ends as the line that it comes before, or replaces, if both kinds occur. */
function endAt(ends: readonly string[], at: number, newEnd: string): string {
  return ends[at] || ends[at - 1] || newEnd;
}

function join({ lines, ends }: Pick<FileText, "lines" | "ends">): string {
  return lines.map((line, index) => line + ends[index]).join("");
}

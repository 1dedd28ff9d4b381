/** Lines of a file with their numbers, in the form that the vendor's editor shows. */

import { decodeUtf8Lossy } from "../../../base/text/utf8.ts";
import { shortenLine } from "../edit/shorten_lines.ts";

/** The lines that a snippet shows before and after a change. */
const SNIPPET_LINES = 4;
/** The longest line of a snippet that is shown whole. */
const MAX_LINE = 2_000;

/** Some lines of a file, and the number of the first one, from 1. */
export interface NumberedLines {
  /** The lines. */
  lines: readonly string[];
  /** The number of the first one. */
  first: number;
}

/** The lines of a text as the reference editor counts them: a last newline begins an empty line. */
export function linesOfText(text: string): string[] {
  return text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
}

/** The lines with their numbers, right-aligned in six columns, and a tab. */
export function numbered({ lines, first }: NumberedLines): string {
  return lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`).join("\n");
}

/** The lines around a change, of which long ones are shortened: `start` and `end` are the offsets in bytes of the new text. */
export function snippetOf(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
): NumberedLines {
  const lines = linesOfText(decodeUtf8Lossy(bytes));
  const newlines = (to: number) => {
    let count = 0;
    for (let at = bytes.indexOf(10); at >= 0 && at < to; at = bytes.indexOf(10, at + 1)) count++;
    return count;
  };
  const changed = newlines(start);
  const from = Math.max(0, changed - SNIPPET_LINES);
  const lineStart = start === 0 ? 0 : bytes.lastIndexOf(10, start - 1) + 1;
  const column = decodeUtf8Lossy(bytes.subarray(lineStart, start)).length;
  const shown = lines.slice(from, newlines(end) + SNIPPET_LINES + 1).map((line, index) =>
    shortenLine(line, { at: from + index === changed ? column : 0, most: MAX_LINE })
  );
  return { lines: shown, first: from + 1 };
}

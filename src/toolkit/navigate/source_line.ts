import { truncate } from "../../base/text/truncate.ts";

/** The longest line that is shown, in UTF-16 units. */
const LONGEST = 300;

/** A line of source as it is shown: without the blanks around it, and cut when it is long. */
export function sourceLine(line = ""): { text: string; isCut: boolean } {
  const text = line.trim();
  if (text.length <= LONGEST) return { text, isCut: false };
  const kept = truncate(text, LONGEST);
  return { text: `${kept} [… cut: a line of ${text.length} characters]`, isCut: true };
}

/** How many lines with errors are named. */
const MAX_LINES = 5;

/** Where a text does not follow the grammar: `line 3`, `lines 3, 9 and 12 more`. */
export function errorPlaces(lines: readonly number[]): string {
  const all = [...new Set(lines)];
  const rest = all.length - MAX_LINES;
  const named = all.slice(0, MAX_LINES).join(", ");
  return `line${all.length === 1 ? "" : "s"} ${named}${rest > 0 ? ` and ${rest} more` : ""}`;
}

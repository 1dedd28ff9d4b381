import { textWidth } from "../ask/wrap.ts";
import { visibleText } from "../visible_text.ts";

/** The fewest columns that commands are broken to: the longest name and what is around it. */
const LEAST = 24;
const INDENT = "    ";

/** Parts of JSON that a line may end after: a value or a key, and the marks around it. */
const PARTS = /[{[]*(?:"(?:[^"\\]|\\.)*"|[^",:{}[\]]*)[}\]]*[:,]?/g;

/**
 * A call as a command for a shell, in lines of at most `width` columns, or 24. They can be pasted
 * together: a line ends where JSON takes a line end, or with a backslash within a long text.
 */
export function commandLines(
  name: string,
  input: Record<string, unknown>,
  width = Infinity,
): string[] {
  const most = Math.max(width, LEAST);
  const word = /^[\w.-]+$/.test(name) ? name : `'${quoted(name).join("")}'`;
  const lines: string[] = [];
  let line = `${INDENT}toolcall ${word} '`;
  if (line.length > most / 2 && Number.isFinite(most)) {
    lines.push(`${INDENT}toolcall \\`, `${INDENT}${word} \\`);
    line = `${INDENT}'`;
  }
  const fits = (more: string) => textWidth(line + more) <= most;
  let isFirst = true;
  // What would not be seen becomes an escape, which JSON has too.
  for (const part of visibleText(JSON.stringify(input)).match(PARTS) ?? []) {
    const units = quoted(part);
    const text = units.join("");
    if (!isFirst && !fits(`${text}'`)) {
      lines.push(line);
      line = INDENT;
    }
    const isWhole = fits(`${text}'`);
    for (const unit of isWhole ? [text] : units) {
      if (!isWhole && !fits(`${unit}'\\`)) {
        lines.push(`${line}'\\`);
        // Without an indent, which would end the shell's word.
        line = "'";
      }
      line += unit;
    }
    isFirst = false;
  }
  return [...lines, `${line}'`];
}

/** A text for single quotes of a shell, in the pieces that have to stay whole. */
function quoted(text: string): string[] {
  return Array.from(text, (character) => character === "'" ? "'\\''" : character);
}

import { textWidth } from "../../../base/terminal/wrap.ts";
import type { Example } from "../../registry/define.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";

/** The fewest columns that commands are broken to: the longest name and what is around it. */
const MIN_WIDTH = 24;
const INDENT = "    ";

/** Parts of JSON that a line may end after: a value or a key, and the marks around it. */
const PARTS = /[{[]*(?:"(?:[^"\\]|\\.)*"|[^",:{}[\]]*)[}\]]*[:,]?/g;

/**
 * A call as a command for a shell, in lines of at most `width` columns, or 24. They can be pasted
 * together: a line ends where JSON takes a line end, or with a backslash within a long text.
 */
export function commandLines(
  name: string,
  { flags = [], input }: Pick<Example, "flags" | "input">,
  width = Infinity,
): string[] {
  const most = Math.max(width, MIN_WIDTH);
  const words = [...flags, name];
  const lines: string[] = [];
  let line = `${INDENT}toolcall ${words.map(shellWord).join(" ")} '`;
  const whole = `${line}${quoteForShell(escapeControls(JSON.stringify(input))).join("")}'`;
  if (textWidth(whole) <= most) return [whole];
  if (line.length > most / 2 && Number.isFinite(most)) {
    lines.push(...["toolcall", ...words].flatMap((word) => wordLines(word, most)));
    line = `${INDENT}'`;
  }
  const fits = (more: string) => textWidth(line + more) <= most;
  let isFirst = true;
  // Characters that are invisible become escapes, which JSON has too.
  for (const part of escapeControls(JSON.stringify(input)).match(PARTS) ?? []) {
    const units = quoteForShell(part);
    const text = units.join("");
    if (!isFirst && !fits(`${text}'`)) {
      lines.push(line);
      line = INDENT;
    }
    const isWhole = fits(`${text}'`);
    for (const unit of isWhole ? [text] : units) {
      if (!isWhole && !fits(`${unit}'\\`)) {
        lines.push(`${line}'\\`);
        // An indent would end the shell's word.
        line = "'";
      }
      line += unit;
    }
    isFirst = false;
  }
  return [...lines, `${line}'`];
}

/** A word, in lines that end with a backslash. A long word is split, and its parts are quoted. */
function wordLines(word: string, most: number): string[] {
  const whole = `${INDENT}${shellWord(word)} \\`;
  if (textWidth(whole) <= most) return [whole];
  const size = most - INDENT.length - 4;
  const pieces = word.match(new RegExp(`.{1,${size}}`, "gu"))!.map(shellWord);
  // An indent would end the shell's word.
  return pieces.map((piece, at) =>
    `${at === 0 ? INDENT : ""}${piece}${at === pieces.length - 1 ? " " : ""}\\`
  );
}

/** A word, quoted for a shell where necessary. */
function shellWord(text: string): string {
  return /^[\w.,:/=-]+$/.test(text) ? text : `'${quoteForShell(text).join("")}'`;
}

/** A text for single quotes of a shell, in the pieces that have to stay whole. */
function quoteForShell(text: string): string[] {
  return Array.from(text, (character) => character === "'" ? "'\\''" : character);
}

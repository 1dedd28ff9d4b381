import { eastAsianWidth } from "get-east-asian-width";

/** With fewer columns after a prefix, the text goes below the prefix. */
const MIN_AFTER_PREFIX = 8;

/** Made at its first use, which takes ten milliseconds. */
let graphemes: Intl.Segmenter | undefined;

/** Matches a string whose characters have one column each. */
const ASCII = /^[\x20-\x7e]*$/;

/** Returns the columns of a string without control characters; for joined emoji, an upper bound. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) continue;
    width += eastAsianWidth(character.codePointAt(0)!);
  }
  return width;
}

/** Splits a string into characters as people count them (grapheme clusters). */
export function charactersOf(text: string): string[] {
  if (ASCII.test(text)) return [...text];
  graphemes ??= new Intl.Segmenter();
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** Wraps a string between words to lines of at most `width` columns; breaks longer words. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(/(?<=\s)(?=\S)/)) {
      // The spaces after a word may exceed the width.
      const bare = word.trimEnd();
      if (line.trim() !== "" && textWidth(line + bare) > width) {
        lines.push(line.trimEnd());
        line = "";
      }
      const pieces = breakLines(line + bare, width);
      line = pieces.pop()! + word.slice(bare.length);
      lines.push(...pieces);
    }
    return [...lines, line.trimEnd()];
  });
}

/** Breaks a string into lines of at most `width` columns, also within words. */
export function breakLines(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const character of charactersOf(text)) {
    const more = textWidth(character);
    if (used + more > width && line !== "") {
      lines.push(line);
      [line, used] = ["", 0];
    }
    line += character;
    used += more;
  }
  return [...lines, line];
}

/** Wraps a string after a prefix and indents further lines; on a narrow terminal without indent. */
export function beside(
  prefix: string,
  text: string,
  { width, breaks = wrap }: { width: number; breaks?: (text: string, width: number) => string[] },
): string[] {
  const rest = width - prefix.length;
  if (rest < MIN_AFTER_PREFIX) return breaks(prefix.trimStart() + text, width);
  const indent = " ".repeat(prefix.length);
  return breaks(text, rest).map((line, at) => (at === 0 ? prefix : indent) + line);
}

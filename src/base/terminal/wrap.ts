import { eastAsianWidth } from "get-east-asian-width";

/** Below this many columns beside a prefix, text goes below it instead. */
const MIN_BESIDE = 8;

const graphemes = new Intl.Segmenter();

/** How many columns a terminal takes for a text without control characters; for joined emoji, at most. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) continue;
    width += eastAsianWidth(character.codePointAt(0)!);
  }
  return width;
}

/** The characters of a text as a person counts them. */
export function charactersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** The lines of a text, broken between words to at most `width` columns; longer words are cut. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(/(?<=\s)(?=\S)/)) {
      // The spaces after a word may hang over.
      const bare = word.trimEnd();
      if (line.trim() !== "" && textWidth(line + bare) > width) {
        lines.push(line.trimEnd());
        line = "";
      }
      const pieces = cut(line + bare, width);
      line = pieces.pop()! + word.slice(bare.length);
      lines.push(...pieces);
    }
    return [...lines, line.trimEnd()];
  });
}

/** The lines of a text cut to at most `width` columns, wherever that falls. */
export function cut(text: string, width: number): string[] {
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

/** A text after a prefix, its further lines under the first; on a narrow terminal under the prefix. */
export function beside(
  prefix: string,
  text: string,
  { width, breaks = wrap }: { width: number; breaks?: (text: string, width: number) => string[] },
): string[] {
  const rest = width - prefix.length;
  if (rest < MIN_BESIDE) return breaks(prefix.trimStart() + text, width);
  const indent = " ".repeat(prefix.length);
  return breaks(text, rest).map((line, at) => (at === 0 ? prefix : indent) + line);
}

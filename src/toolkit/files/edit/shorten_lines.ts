import { plural } from "../../../base/text/amounts.ts";
import { trimSurrogates } from "../../../base/text/truncate.ts";

/** The longest line of a diff that is shown whole, with its sign. */
const MAX_LINE = 500;
/** The most characters of a longer line before its change. */
const MAX_BEFORE = 200;

/**
 * The lines of a hunk, of which long ones are shortened. A changed line keeps the part around the
 * first difference from the line that it replaces.
 */
export function shortenLines(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let block: string[] = [];
  const endBlock = () => {
    const [removed, added] = ["-", "+"].map((sign) =>
      block.filter((line) => line.startsWith(sign))
    ) as [string[], string[]];
    const places = new Map<string, number>();
    for (const [index, line] of removed.entries()) {
      const other = added[index];
      if (other === undefined) break;
      const at = commonStart(line, other);
      places.set(line, at).set(other, at);
    }
    for (const line of block) shown.push(shorten(line, places.get(line) ?? 0));
    block = [];
  };
  for (const line of lines) {
    if (!line.startsWith(" ")) block.push(line);
    else {
      endBlock();
      shown.push(shorten(line, 0));
    }
  }
  endBlock();
  return shown;
}

/** The number of equal characters at the start of two lines after their signs. */
function commonStart(line: string, other: string): number {
  let at = 1;
  while (at < line.length && line[at] === other[at]) at++;
  return at - 1;
}

function shorten(line: string, at: number): string {
  return line.length <= MAX_LINE
    ? line
    : line[0] + shortenLine(line.slice(1), { at, most: MAX_LINE });
}

/** A line, or `most` characters of it around the character `at`, and the numbers of the others. */
export function shortenLine(text: string, { at, most }: { at: number; most: number }): string {
  const last = text.length - most;
  if (last <= 0) return text;
  const start = at < most - MAX_BEFORE ? 0 : Math.min(at - MAX_BEFORE, last);
  const kept = trimSurrogates(text.slice(start, start + most));
  const cut = (count: number) => count > 0 ? `[... ${plural(count, "character")} cut]` : "";
  const [before, after] = [cut(start), cut(last - start)];
  return (before && `${before} `) + kept + (after && ` ${after}`);
}

import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import { allBut, type CodePoints } from "../../base/gbnf/code_points.ts";

/** How many ranges are shown to people. */
const MAX_SHOWN = 40;

/** Above how many characters those are shown that are missing. */
const MANY = 0x80000;

/** A set of characters for people: `"a", "0" to "9"`, or `any but "\""`. */
export function charactersText(set: CodePoints): string {
  const size = set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (size <= MANY) return list(set);
  const missing = allBut(set);
  return missing.length === 0 ? "any character" : `any character but ${list(missing)}`;
}

function list(set: CodePoints): string {
  const shown = set.slice(0, MAX_SHOWN).map(([from, to]) => {
    if (to - from < 2) return [...new Set([from, to])].map(one).join(", ");
    return `${one(from)} to ${one(to)}`;
  });
  const more = set.length - MAX_SHOWN;
  return shown.join(", ") + (more > 0 ? ` and ${plural(more, "more range")}` : "");
}

function one(point: number): string {
  if (point > 0x7e || point < 0x20 && ![9, 10, 13].includes(point)) {
    const isLetter = point > 0x7e && /^[\p{L}\p{N}]$/u.test(String.fromCodePoint(point));
    if (!isLetter) return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  }
  return quote(String.fromCodePoint(point));
}

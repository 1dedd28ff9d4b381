import { type CodePoints, complement, intersection, only, union } from "./code_points.ts";

/** A class without characters: nothing matches. */
export const NEVER = "[^\\x00-\\U0010FFFF]";

/** A literal text as a terminal of GBNF. */
export function literal(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&")
    // deno-lint-ignore no-control-regex -- these characters must not occur in a line
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, (each) => escape(each.charCodeAt(0)));
  return `"${escaped}"`;
}

/** The set of code points as a class of GBNF. */
function characterClass(set: CodePoints): string {
  const parts = set.map(([from, to]) => from === to ? shown(from) : `${shown(from)}-${shown(to)}`);
  return `[${parts.join("")}]`;
}

/** A character of a class. It is escaped if some reader could give it a meaning. */
function shown(point: number): string {
  const text = String.fromCodePoint(point);
  return /[A-Za-z0-9 _/.,:;!#$%&'()*+<=>?@{|}~`]/.test(text) ? text : escape(point);
}

function escape(point: number): string {
  const hex = point.toString(16).toUpperCase();
  if (point <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return point <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** The characters that JSON's strings may hold without an escape. */
const RAW = complement(union([[0, 0x1f], [0x22, 0x22], [0x5c, 0x5c]]));

/** The characters that JSON escapes by one letter after the backslash, and the letters. */
const SHORT = new Map<string, string>([
  ...[['"', '"'], ["\\", "\\"], ["\b", "b"], ["\t", "t"], ["\n", "n"]] as const,
  ...[["\f", "f"], ["\r", "r"]] as const,
]);

/** The forms that `JSON.stringify` gives one character of the set inside a string. */
export function stringForms(set: CodePoints): string[] {
  const has = (character: string) => intersection(set, characters([character])).length > 0;
  const raw = intersection(set, RAW);
  const short = [...SHORT].flatMap(([character, letter]) => has(character) ? [letter] : []);
  const long = ["0", "1"].flatMap((high) => {
    const digits = [..."0123456789abcdef"].filter((low) => {
      const character = String.fromCharCode(parseInt(high + low, 16));
      return has(character) && !SHORT.has(character);
    });
    const either = characters(digits.flatMap((digit) => [digit, digit.toUpperCase()]));
    return digits.length === 0 ? [] : [`${literal(`\\u00${high}`)} ${characterClass(either)}`];
  });
  return [
    ...(raw.length === 0 ? [] : [characterClass(raw)]),
    ...(short.length === 0 ? [] : [`"\\\\" ${characterClass(characters(short))}`]),
    ...long,
  ];
}

/** The set of these characters. */
export function characters(all: Iterable<string>): CodePoints {
  return union(Array.from(all, (each) => only(each.codePointAt(0)!)).flat());
}

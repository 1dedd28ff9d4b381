import { type CodePoints, complement, intersection, union } from "./code_points.ts";

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
export function characterClass(set: CodePoints): string {
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

/** The short escapes of JSON: the letter after the backslash, and the code point. */
const SHORT: readonly (readonly [letter: string, point: number])[] = [
  ...[['"', 0x22], ["\\", 0x5c], ["b", 8], ["t", 9], ["n", 10], ["f", 12], ["r", 13]] as const,
];

/** The forms that `JSON.stringify` gives one character of the set inside a string. */
export function stringForms(set: CodePoints): string[] {
  const raw = intersection(set, RAW);
  const has = (point: number) => set.some(([from, to]) => from <= point && point <= to);
  const short = SHORT.filter(([, point]) => has(point));
  const isShort = (point: number) => SHORT.some(([, each]) => each === point);
  const long = (high: number): string[] => {
    const low = [...Array(16).keys()].filter((each) =>
      has(high * 16 + each) && !isShort(high * 16 + each)
    );
    const digits = union(
      low.flatMap((each) =>
        [...new Set([each.toString(16), each.toString(16).toUpperCase()])]
          .map((digit) => [digit.charCodeAt(0), digit.charCodeAt(0)] as const)
      ),
    );
    return low.length === 0 ? [] : [`${literal(`\\u00${high}`)} ${characterClass(digits)}`];
  };
  return [
    ...(raw.length === 0 ? [] : [characterClass(raw)]),
    ...(short.length === 0 ? [] : [
      `"\\\\" ${characterClass(union(short.map(([letter]) => at(letter))))}`,
    ]),
    ...long(0),
    ...long(1),
  ];
}

function at(letter: string): readonly [number, number] {
  return [letter.charCodeAt(0), letter.charCodeAt(0)];
}

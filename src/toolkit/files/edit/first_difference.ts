import { thousands } from "../../../base/text/amounts.ts";
import { longestStart } from "./find_sequence.ts";

/** The length of the excerpt of a line whose difference is not shown otherwise. */
const MAX_EXCERPT = 40;

/** Characters that look like others or like nothing. */
const NAMES: Readonly<Record<number, string>> = {
  0x09: "tab",
  0x0a: "line end",
  0x0d: "carriage return",
  0x1b: "escape",
  0x20: "space",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x2010: "hyphen",
  0x2011: "non-breaking hyphen",
  0x2013: "en dash",
  0x2014: "em dash",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x202f: "narrow no-break space",
  0x2212: "minus sign",
  0x3000: "ideographic space",
  0xfeff: "byte order mark",
};

/** A text of the file, and the text that was not found in it. */
interface Compared {
  /** The text that was not found. */
  wanted: string;
  /** The name of that text in the message. */
  noun: string;
  /** The number of the line with which the text of the file begins. */
  firstLine: number;
  /** Whether the message shows a place of the file: its line, and the character, from 0. */
  isShown(line: number, character: number): boolean;
}

/**
 * The difference between `wanted` and the most similar place in `text`. It is the first one, or the
 * last one if more of `wanted` agrees from its end. An example is `First difference: the file has
 * U+00A0 (no-break space) where old_string has U+0020 (space)`. Returns `undefined` when nothing is
 * similar, and when the difference can be seen.
 */
export function firstDifference(text: string, compared: Compared): string | undefined {
  const [here, sought] = [pointsOf(text), pointsOf(compared.wanted)];
  const start = longestStart(here, sought);
  const end = longestStart(here.toReversed(), sought.toReversed());
  const isFirst = start.length >= end.length;
  const length = isFirst ? start.length : end.length;
  // The difference is at these places of both texts.
  const at = isFirst ? start.at + length : here.length - 1 - end.at - length;
  const asked = isFirst ? length : sought.length - 1 - length;
  if (length === 0 || here[at] === undefined || sought[asked] === undefined) return undefined;
  const before = textOf(here.subarray(0, at));
  const line = compared.firstLine + before.split("\n").length - 1;
  const character = before.length - before.lastIndexOf("\n") - 1;
  const which = `${isFirst ? "First" : "Last"} difference: `;
  const has = (found: string, wanted: string) =>
    `the file has ${found} where ${compared.noun} has ${wanted}`;
  if (!compared.isShown(line, character)) {
    const place = `at character ${thousands(character + 1)} of line ${thousands(line)} `;
    const [found, wanted] = [excerpt(here, at), excerpt(sought, asked)];
    if (found !== wanted) return which + place + has(found, wanted);
  }
  const [found, wanted] = [letterAt(here, at), letterAt(sought, asked)];
  // A line that begins otherwise is seen, and so is a longer line, but not a blank at its end.
  const isOtherLine = `${found} ${wanted}`.includes("\n") &&
    (!isFirst || /[\p{L}\p{N}\p{P}\p{S}]/u.test(found + wanted));
  if (isOtherLine || /^[\x20-\x7e]*$/.test(found + wanted)) return undefined;
  return which + has(named(found), named(wanted));
}

function pointsOf(text: string): Uint32Array {
  return Uint32Array.from(text, (letter) => letter.codePointAt(0)!);
}

function textOf(points: Uint32Array): string {
  return Array.from(points, (point) => String.fromCodePoint(point)).join("");
}

/** The rest of the line from a place, quoted. */
function excerpt(points: Uint32Array, at: number): string {
  const [line] = textOf(points.subarray(at, at + MAX_EXCERPT)).split("\n");
  return JSON.stringify(line);
}

/** The character at a place, with its combining marks. */
function letterAt(points: Uint32Array, at: number): string {
  return /^.\p{M}*/su.exec(textOf(points.subarray(at, at + 16)))?.[0] ?? "";
}

function named(letter: string): string {
  const points = [...letter].map((each) => each.codePointAt(0)!);
  const codes = points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`);
  const name = NAMES[points[0]!];
  if (name !== undefined) return `${codes.join(" ")} (${name})`;
  return /^[\p{L}\p{N}\p{P}\p{S}]/u.test(letter)
    ? `${codes.join(" ")} (${letter})`
    : codes.join(" ");
}

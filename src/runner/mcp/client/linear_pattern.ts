import { lookupTable } from "../../../base/lookup_table.ts";
import { RRegex } from "rregex";

/**
 * Compiles a pattern of a schema so that matching takes time linear in the text. A pattern with
 * lookaround or backreferences cannot be compiled so, and matches every string: the server checks it.
 */
export function linearPattern(
  pattern: string,
): { test(text: string): boolean; toString(): string } {
  // The validator shares patterns whose source is equal.
  return { test: testOf(pattern), toString: () => `/${pattern}/` };
}

function testOf(pattern: string): RegExp["test"] {
  try {
    const regex = new RRegex(rustPattern(pattern));
    return (text) => regex.isMatch(text);
  } catch {
    return () => true;
  }
}

/** ECMAScript's classes of characters by their letter, written for the inside of brackets. */
const SETS = lookupTable<string>({
  d: "0-9",
  D: "[^0-9]",
  w: "0-9A-Za-z_",
  W: "[^0-9A-Za-z_]",
  s: "\\s\\x{FEFF}",
  S: "[^\\s\\x{FEFF}]",
});

/** Escapes of one character. */
const CHARACTERS: Readonly<Record<string, string>> = {
  ...{ t: "\\t", n: "\\n", r: "\\r", v: "\\x{B}", f: "\\f", 0: "\\x{0}" },
};

/** One piece of a pattern: an escape, or a character. */
const PIECE =
  /\\u\{[0-9A-Fa-f]+\}|\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\[^]|[^]/gu;

/**
 * Translates a pattern of ECMAScript (ECMA-262, section 22.2) to Rust's syntax. Throws for a
 * backreference; the Rust library throws for whatever else it does not support.
 */
function rustPattern(pattern: string): string {
  const pieces: readonly string[] = pattern.match(PIECE) ?? [];
  let text = "";
  for (let at = 0; at < pieces.length; at++) {
    if (pieces[at] !== "[") {
      text += outside(pieces, at);
      continue;
    }
    const end = pieces.indexOf("]", at + 1);
    if (end < 0) throw new Error("A class has no end");
    text += classOf(pieces.slice(at + 1, end));
    at = end;
  }
  return text;
}

function outside(pieces: readonly string[], at: number): string {
  const piece = pieces[at]!;
  if (piece === ".") return "[^\\n\\r\\x{2028}\\x{2029}]";
  if (piece === "{") {
    return /^\{\d+(,\d*)?\}/.test(pieces.slice(at, at + 24).join("")) ? "{" : "\\{";
  }
  if (piece === "\\b" || piece === "\\B") return `(?-u:${piece})`;
  if (/^\\[1-9k]/.test(piece)) throw new Error("A reference back takes more than linear time");
  const set = piece.length === 2 && piece.startsWith("\\") ? SETS[piece[1]!] : undefined;
  return set === undefined ? character(piece) : `[${set}]`;
}

function classOf(pieces: readonly string[]): string {
  const isNegated = pieces[0] === "^";
  const members = isNegated ? pieces.slice(1) : pieces;
  if (members.length === 0) return isNegated ? "[\\s\\S]" : "[^\\s\\S]";
  let text = "";
  // True if a dash at this point would make a range.
  let mayRange = false;
  for (let at = 0; at < members.length; at++) {
    const piece = members[at]!;
    const next = members[at + 1];
    if (piece === "-" && mayRange && next !== undefined && !isSet(next)) {
      text += `-${classCharacter(next)}`;
      at++;
      mayRange = false;
      continue;
    }
    const set = isSet(piece);
    mayRange = !set;
    text += set ? SETS[piece[1]!] ?? piece : classCharacter(piece);
  }
  return `[${isNegated ? "^" : ""}${text}]`;
}

function isSet(piece: string): boolean {
  return /^\\(?:[dDwWsS]$|[pP]\{)/.test(piece);
}

function classCharacter(piece: string): string {
  if (piece === "\\b") return "\\x{8}";
  return /^[[\]&~^-]$/.test(piece) ? `\\${piece}` : character(piece);
}

/** Translates a character, or an escape of one. */
function character(piece: string): string {
  if (!piece.startsWith("\\") || /^\\[pP]\{/.test(piece)) return piece;
  const letter = piece[1]!;
  if (Object.hasOwn(CHARACTERS, letter)) return CHARACTERS[letter]!;
  if (letter === "c") return hex(piece.charCodeAt(2) % 32);
  if (letter === "x" || letter === "u") return hex(codePoint(piece));
  // In Rust an escaped letter or digit has a meaning, and ECMAScript ignores the backslash.
  return /[A-Za-z0-9]/.test(letter) ? letter : hex(piece.codePointAt(1)!);
}

function codePoint(piece: string): number {
  const [first = "", second] = piece.match(/[0-9A-Fa-f]{2,}/g) ?? [piece.replace(/\W|u/g, "")];
  const high = parseInt(first, 16);
  if (second === undefined) return high;
  return (high - 0xD800) * 0x400 + (parseInt(second, 16) - 0xDC00) + 0x10000;
}

function hex(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

import { ALL_CODE_POINTS, type CodePoints, complement, only, union } from "./code_points.ts";
import { boundsIn, Scanner } from "./scanner.ts";

/** A simple regular expression, without look-arounds and back-references. */
export type SimplePattern =
  | { kind: "one"; set: CodePoints }
  | { kind: "sequence"; parts: readonly SimplePattern[] }
  | { kind: "choice"; parts: readonly SimplePattern[] }
  | { kind: "repeat"; part: SimplePattern; min: number; max: number };

/** Any string: it may precede and follow the match of a pattern without anchors. */
const REST: SimplePattern = {
  kind: "repeat",
  part: { kind: "one", set: ALL_CODE_POINTS },
  min: 0,
  max: Infinity,
};

/** The longest simple pattern, in characters. */
const MAX_SOURCE = 2_000;

const DIGITS = union([[0x30, 0x39]]);
const WORD = union([[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
const SPACE = union([
  ...[[9, 13], [32, 32], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a]] as const,
  ...[[0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000]] as const,
  [0xfeff, 0xfeff],
]);
/** The sets of the escapes of one letter. */
const CLASSES = new Map<string, CodePoints>([
  ...[["d", DIGITS], ["D", complement(DIGITS)], ["w", WORD], ["W", complement(WORD)]] as const,
  ...[["s", SPACE], ["S", complement(SPACE)], ["n", only(10)], ["r", only(13)]] as const,
  ...[["t", only(9)], ["f", only(12)], ["v", only(11)], ["0", only(0)]] as const,
]);
const NEWLINES = union([[10, 10], [13, 13], [0x2028, 0x2029]]);

/**
 * Parses a regular expression of JavaScript with the flag `u` into the pattern of the texts that
 * contain a match. Returns undefined for an expression that is not simple: one with look-arounds,
 * back-references, word boundaries, Unicode properties, or anchors that are not at the ends.
 */
export function parsePattern(source: string): SimplePattern | undefined {
  if (source.length > MAX_SOURCE) return undefined;
  try {
    new RegExp(source, "u");
    return new PatternReader(source).whole();
  } catch {
    return undefined;
  }
}

class NotSimpleError extends Error {}

class PatternReader extends Scanner {
  whole(): SimplePattern {
    const pattern = this.#choice(() => {
      const start = this.take("^") ? [] : [REST];
      const body = this.#sequence();
      return [...start, ...body, ...(this.take("$") ? [] : [REST])];
    });
    if (!this.isDone) throw new NotSimpleError();
    return pattern;
  }

  #choice(read: () => SimplePattern[]): SimplePattern {
    const parts: SimplePattern[] = [];
    do parts.push({ kind: "sequence", parts: read() }); while (this.take("|"));
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #sequence(): SimplePattern[] {
    const parts: SimplePattern[] = [];
    while (!this.isDone && !"|)$".includes(this.text[this.at]!)) {
      parts.push(this.#quantified(this.#atom()));
    }
    return parts;
  }

  #atom(): SimplePattern {
    if (this.take("(")) return this.#group();
    if (this.take("[")) return { kind: "one", set: this.#class() };
    if (this.take(".")) return { kind: "one", set: complement(NEWLINES) };
    if (this.take("^")) throw new NotSimpleError();
    return { kind: "one", set: this.#character() };
  }

  #group(): SimplePattern {
    if (this.take("?") && !this.take(":") && this.match(/<[^=!>][^>]*>/y) === undefined) {
      throw new NotSimpleError();
    }
    const inner = this.#choice(() => this.#sequence());
    if (!this.take(")")) throw new NotSimpleError();
    return inner;
  }

  #quantified(part: SimplePattern): SimplePattern {
    const quantifier = this.match(/[*+?]|\{[\d,]+\}/y);
    if (quantifier === undefined) return part;
    // A lazy quantifier matches the same strings as a greedy one.
    this.take("?");
    const { min, max } = boundsIn(quantifier);
    // Readers of grammars never finish an endless repetition of the empty string.
    if (max === Infinity && lengthRange(part).min === 0) throw new NotSimpleError();
    return { kind: "repeat", part, min, max };
  }

  #character(): CodePoints {
    const character = this.#next();
    return character === "\\" ? this.#escape() : only(character.codePointAt(0)!);
  }

  #next(): string {
    return this.match(/[^]/uy)!;
  }

  #escape(): CodePoints {
    const hex = this.match(/(?:x[\da-fA-F]{2}|u[\da-fA-F]{4})/y);
    if (hex !== undefined) {
      const point = parseInt(hex.slice(1), 16);
      if (point >= 0xd800 && point <= 0xdfff) throw new NotSimpleError();
      return only(point);
    }
    const braces = this.match(/u\{[\da-fA-F]+\}/y);
    if (braces !== undefined) return only(parseInt(braces.slice(2), 16));
    if (this.take("c")) return only(this.#next().codePointAt(0)! % 32);
    const next = this.#next();
    const set = CLASSES.get(next);
    if (set !== undefined) return set;
    if (/[A-Za-z0-9]/.test(next)) throw new NotSimpleError();
    return only(next.codePointAt(0)!);
  }

  #class(): CodePoints {
    const isNegated = this.take("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.take("]")) {
      const from = this.#member();
      if (this.match(/-(?!\])/y) === undefined) ranges.push(...from);
      else ranges.push([from[0]![0], this.#member().at(-1)![1]]);
    }
    return isNegated ? complement(union(ranges)) : union(ranges);
  }

  #member(): CodePoints {
    return this.take("\\b") ? only(8) : this.#character();
  }
}

/** The least and the greatest number of characters that a pattern matches. */
export function lengthRange(pattern: SimplePattern): { min: number; max: number } {
  if (pattern.kind === "one") return { min: 1, max: 1 };
  if (pattern.kind === "repeat") {
    const { min, max } = lengthRange(pattern.part);
    return { min: min * pattern.min, max: max === 0 || pattern.max === 0 ? 0 : max * pattern.max };
  }
  const all = pattern.parts.map(lengthRange);
  const sum = (values: number[]) => values.reduce((total, each) => total + each, 0);
  const [mins, maxes] = [all.map(({ min }) => min), all.map(({ max }) => max)];
  return pattern.kind === "sequence"
    ? { min: sum(mins), max: sum(maxes) }
    : { min: Math.min(...mins), max: Math.max(...maxes) };
}

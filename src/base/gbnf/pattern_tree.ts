import { ALL_CODE_POINTS, type CodePoints, complement, union } from "./code_points.ts";

/** A simple regular expression, without look-arounds and back-references. */
export type SimplePattern =
  | { kind: "one"; set: CodePoints }
  | { kind: "sequence"; parts: readonly SimplePattern[] }
  | { kind: "choice"; parts: readonly SimplePattern[] }
  | { kind: "repeat"; part: SimplePattern; min: number; max: number };

/** Any text: it may precede and follow the match of a pattern without anchors. */
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
const CLASSES = new Map<string, CodePoints>([
  ...[["d", DIGITS], ["D", complement(DIGITS)], ["w", WORD], ["W", complement(WORD)]] as const,
  ...[["s", SPACE], ["S", complement(SPACE)]] as const,
]);
const CONTROLS = new Map([["n", 10], ["r", 13], ["t", 9], ["f", 12], ["v", 11]]);
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
    return new Reader([...source]).whole();
  } catch {
    return undefined;
  }
}

class NotSimpleError extends Error {}

class Reader {
  #at = 0;
  constructor(readonly source: readonly string[]) {}

  whole(): SimplePattern {
    const parts: SimplePattern[] = [];
    do {
      const start = this.#take("^") ? [] : [REST];
      const body = this.#sequence();
      const end = this.#take("$") ? [] : [REST];
      parts.push({ kind: "sequence", parts: [...start, ...body, ...end] });
    } while (this.#take("|"));
    if (this.#at < this.source.length) throw new NotSimpleError();
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #peek(): string | undefined {
    return this.source[this.#at];
  }

  #take(text: string): boolean {
    if (this.source.slice(this.#at, this.#at + text.length).join("") !== text) return false;
    this.#at += text.length;
    return true;
  }

  #sequence(): SimplePattern[] {
    const parts: SimplePattern[] = [];
    for (
      let next = this.#peek();
      next !== undefined && !"|)$".includes(next);
      next = this.#peek()
    ) {
      parts.push(this.#quantified(this.#atom()));
    }
    return parts;
  }

  #atom(): SimplePattern {
    const next = this.source[this.#at++]!;
    if (next === "(") return this.#group();
    if (next === "[") return { kind: "one", set: this.#class() };
    if (next === ".") return { kind: "one", set: complement(NEWLINES) };
    if (next === "^") throw new NotSimpleError();
    return { kind: "one", set: next === "\\" ? this.#escape() : only(next.codePointAt(0)!) };
  }

  #group(): SimplePattern {
    if (this.#take("?") && !this.#take(":")) {
      if (!this.#take("<") || "=!".includes(this.#peek()!)) throw new NotSimpleError();
      this.#at = this.source.indexOf(">", this.#at) + 1;
    }
    const parts: SimplePattern[] = [];
    do parts.push({ kind: "sequence", parts: this.#sequence() }); while (this.#take("|"));
    if (!this.#take(")")) throw new NotSimpleError();
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #quantified(part: SimplePattern): SimplePattern {
    const [min, max] = this.#bounds() ?? [];
    if (min === undefined || max === undefined) return part;
    // A lazy quantifier matches the same texts as a greedy one.
    this.#take("?");
    // Readers of grammars never finish an endless repetition of the empty text.
    if (max === Infinity && lengthRange(part).min === 0) throw new NotSimpleError();
    return { kind: "repeat", part, min, max };
  }

  #bounds(): [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return undefined;
    const end = this.source.indexOf("}", this.#at);
    const [min, max] = this.source.slice(this.#at, end).join("").split(",");
    this.#at = end + 1;
    return [Number(min), max === undefined ? Number(min) : max === "" ? Infinity : Number(max)];
  }

  #escape(): CodePoints {
    const next = this.source[this.#at++]!;
    const set = CLASSES.get(next);
    if (set !== undefined) return set;
    const control = CONTROLS.get(next);
    if (control !== undefined) return only(control);
    if (next === "0") return only(0);
    if (next === "x") return only(this.#hex(2));
    if (next === "c") return only(this.source[this.#at++]!.codePointAt(0)! % 32);
    if (next === "u" && this.#take("{")) {
      const end = this.source.indexOf("}", this.#at);
      const point = this.#hex(end - this.#at);
      this.#at++;
      return only(point);
    }
    if (next === "u") {
      const point = this.#hex(4);
      if (point >= 0xd800 && point <= 0xdfff) throw new NotSimpleError();
      return only(point);
    }
    if (/[A-Za-z0-9]/.test(next)) throw new NotSimpleError();
    return only(next.codePointAt(0)!);
  }

  #hex(length: number): number {
    this.#at += length;
    return parseInt(this.source.slice(this.#at - length, this.#at).join(""), 16);
  }

  #class(): CodePoints {
    const isNegated = this.#take("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take("]")) {
      const from = this.#member();
      if (this.#peek() === "-" && this.source[this.#at + 1] !== "]") {
        this.#at++;
        ranges.push([from[0]![0], this.#member().at(-1)![1]]);
      } else ranges.push(...from);
    }
    return isNegated ? complement(union(ranges)) : union(ranges);
  }

  #member(): CodePoints {
    if (this.#take("\\b")) return only(8);
    const next = this.source[this.#at++]!;
    return next === "\\" ? this.#escape() : only(next.codePointAt(0)!);
  }
}

function only(point: number): CodePoints {
  return [[point, point]];
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

/** Looks for lines of a hunk in a file: exactly, and then less and less strictly. */

import { findSequence } from "../edit/find_sequence.ts";

/** A way to compare lines. */
interface Strictness {
  /** The differences that it ignores, for messages; `undefined` if it ignores none. */
  ignored: string | undefined;
  /** The text of a line that is compared. */
  fold(line: string): string;
}

/** The ways to compare, the strictest first. */
const STRICTNESS: readonly Strictness[] = [
  { ignored: undefined, fold: (line) => line },
  { ignored: "whitespace at the end of lines", fold: (line) => line.trimEnd() },
  { ignored: "whitespace at both ends of lines", fold: (line) => line.trim() },
  { ignored: "the kind of quotes, dashes and blanks", fold: foldPunctuation },
];

/** The places of lines in a file. */
export interface FoundLines {
  /** The indexes of the first lines, in order. */
  places: number[];
  /** The differences that had to be ignored to find them. */
  ignored: string | undefined;
}

/** The lines of one file, prepared for many searches. */
export class LineSearch {
  #folded = new Map<Strictness, { numbers: Map<string, number>; lines: Uint32Array }>();

  /** Takes the lines of the file. */
  constructor(readonly lines: readonly string[]) {}

  /**
   * Finds all places of `wanted` from the index `from` on, in the strictest way that finds any. The
   * time is linear. `accept` may refuse a place.
   */
  find(
    wanted: readonly string[],
    { from, accept = () => true }: { from: number; accept?: (place: number) => boolean },
  ): FoundLines | undefined {
    if (wanted.length === 0 || wanted.length > this.lines.length - from) return undefined;
    for (const strictness of STRICTNESS) {
      const places = this.#placesOf(wanted, strictness, from).filter(accept);
      if (places.length > 0) return { places, ignored: strictness.ignored };
    }
    return undefined;
  }

  #placesOf(wanted: readonly string[], strictness: Strictness, from: number): number[] {
    const { numbers, lines } = this.#foldedBy(strictness);
    const needle = new Uint32Array(wanted.length);
    for (const [index, line] of wanted.entries()) {
      const number = numbers.get(strictness.fold(line));
      if (number === undefined) return [];
      needle[index] = number;
    }
    const places: number[] = [];
    const found = (at: number) => void places.push(from + at);
    findSequence(lines.subarray(from), { needle, overlapping: true, found });
    return places;
  }

  /** Equal lines get the same number, so that a search compares numbers. */
  #foldedBy(strictness: Strictness): { numbers: Map<string, number>; lines: Uint32Array } {
    const known = this.#folded.get(strictness);
    if (known !== undefined) return known;
    const numbers = new Map<string, number>();
    const lines = Uint32Array.from(this.lines, (line) => {
      const folded = strictness.fold(line);
      const number = numbers.get(folded) ?? numbers.size;
      numbers.set(folded, number);
      return number;
    });
    const folded = { numbers, lines };
    this.#folded.set(strictness, folded);
    return folded;
  }
}

/** Typographic punctuation becomes that of ASCII, and all blanks become spaces. */
function foldPunctuation(line: string): string {
  return line.trim()
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

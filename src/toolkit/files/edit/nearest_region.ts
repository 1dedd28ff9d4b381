import { findSequence } from "./find_sequence.ts";
import { foldedLine } from "./text_differences.ts";

const MAX_SAME = 5;
const MAX_LINE = 200;
const MAX_COMPARED = 2_000_000;
const MIN_LIKENESS = 0.5;

/** Some lines of a file, counted from 0. */
export interface LineRange {
  /** The first line. */
  start: number;
  /** The line after the last one. */
  end: number;
}

/**
 * The lines that are most similar to `wanted`, or `undefined` when no line is similar. The time is
 * linear in the length of both, however often lines repeat.
 */
export function nearestRegion(
  lines: readonly string[],
  wanted: readonly string[],
): LineRange | undefined {
  const folded = lines.map(foldedLine);
  const sought = wanted.map(foldedLine);
  const start = sameLines(folded, sought) ?? mostVotes(folded, sought) ?? mostAlike(folded, sought);
  if (start === undefined) return undefined;
  return { start, end: Math.min(lines.length, start + wanted.length) };
}

/** The first place where all lines are equal except for whitespace and quotes. */
function sameLines(folded: readonly string[], sought: readonly string[]): number | undefined {
  if (sought.length < 3) {
    const start = folded.findIndex((_, start) => endsMatch(folded, { sought, start }));
    return start < 0 ? undefined : start;
  }
  const numbers = new Map<string, number>();
  const number = (line: string) => {
    if (!numbers.has(line)) numbers.set(line, numbers.size);
    return numbers.get(line)!;
  };
  const needle = Uint32Array.from(sought.slice(1, -1), number);
  let first: number | undefined;
  findSequence(Uint32Array.from(folded, number), {
    needle,
    overlapping: true,
    found: (at) => {
      if (at > 0 && endsMatch(folded, { sought, start: at - 1 })) first ??= at - 1;
    },
  });
  return first;
}

/** The first and the last of the sought lines may be parts of lines. */
function endsMatch(
  folded: readonly string[],
  { sought, start }: { sought: readonly string[]; start: number },
): boolean {
  const first = sought[0]!;
  const last = sought.length - 1;
  if (last === 0) return first !== "" && (folded[start]?.includes(first) ?? false);
  return (folded[start]?.endsWith(first) ?? false) &&
    (folded[start + last]?.startsWith(sought[last]!) ?? false);
}

/** Each sought line that the file has votes for the start that would put it in its place. */
function mostVotes(folded: readonly string[], sought: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [index, line] of sought.entries()) {
    if (line.length < 3) continue;
    const same = places.get(line);
    if (!same) places.set(line, [index]);
    else if (same.length < MAX_SAME) same.push(index);
  }
  const votes = new Map<number, number>();
  let best: number | undefined;
  let most = 0;
  for (const [number, line] of folded.entries()) {
    for (const index of places.get(line) ?? []) {
      const start = Math.max(0, number - index);
      const count = (votes.get(start) ?? 0) + Math.min(line.length, 40);
      votes.set(start, count);
      if (count > most) [best, most] = [start, count];
    }
  }
  return best;
}

/** The line that shares the most pairs of characters with the longest sought line. */
function mostAlike(folded: readonly string[], sought: readonly string[]): number | undefined {
  const longest = sought.reduce((a, b) => b.length > a.length ? b : a, "").slice(0, MAX_LINE);
  if (longest.length < 3) return undefined;
  const pairs = pairsOf(longest);
  let best: number | undefined;
  let most = MIN_LIKENESS;
  let compared = 0;
  for (const [number, whole] of folded.entries()) {
    const line = whole.slice(0, MAX_LINE);
    compared += line.length;
    if (compared > MAX_COMPARED) break;
    const likeness = 2 * shared(line, pairs) / (line.length + longest.length - 2);
    if (likeness > most) [best, most] = [number, likeness];
  }
  if (best === undefined) return undefined;
  return Math.max(0, best - sought.findIndex((line) => line.startsWith(longest)));
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let i = 1; i < text.length; i++) {
    const pair = text.slice(i - 1, i + 1);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function shared(line: string, pairs: ReadonlyMap<string, number>): number {
  const used = new Map<string, number>();
  let count = 0;
  for (let i = 1; i < line.length; i++) {
    const pair = line.slice(i - 1, i + 1);
    const times = (used.get(pair) ?? 0) + 1;
    if (times > (pairs.get(pair) ?? 0)) continue;
    used.set(pair, times);
    count++;
  }
  return count;
}

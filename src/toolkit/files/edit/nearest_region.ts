import { findSequence } from "./find_sequence.ts";

const MAX_SAME = 5;
const MAX_LINE = 200;
const MAX_COMPARED = 2_000_000;
const MIN_LIKENESS = 0.5;

/**
 * The first of the lines that are most similar to `wanted`, counted from 0, and the line after the
 * last of them, or `undefined` when no line is similar. The time is linear in the length of both,
 * however often lines repeat.
 */
export function nearestRegion(
  lines: readonly string[],
  wanted: readonly string[],
): { start: number; end: number } | undefined {
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
  const long = sought.keys().filter((index) => sought[index]!.length >= 3);
  const places = Map.groupBy(long, (index) => sought[index]!);
  const votes = new Map<number, number>();
  let best: number | undefined;
  let most = 0;
  for (const [number, line] of folded.entries()) {
    for (const index of places.get(line)?.slice(0, MAX_SAME) ?? []) {
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

/** The name of a difference that often comes from copying, and the function that removes it. */
interface Fold {
  readonly name: string;
  readonly apply: (text: string) => string;
}

const FOLDS: readonly Fold[] = [
  { name: "line ends", apply: (text) => text.replace(/\r\n?/g, "\n") },
  { name: "quotes", apply: foldQuotes },
  { name: "dashes", apply: foldDashes },
  { name: "composed and decomposed letters", apply: (text) => text.normalize("NFC") },
  { name: "invisible characters", apply: dropInvisible },
  { name: "whitespace", apply: foldBlanks },
  { name: "newlines at the start or the end", apply: trimLines },
];

/**
 * The smallest set of differences that explains why `wanted` is not in `text`: without them it is.
 * Empty when no set explains it.
 */
export function onlyDifferences(text: string, wanted: string): string[] {
  const explains = (folds: readonly Fold[]) => {
    const fold = (value: string) => folds.reduce((folded, { apply }) => apply(folded), value);
    const sought = fold(wanted);
    return sought !== "" && fold(text).includes(sought);
  };
  let needed = FOLDS;
  if (!explains(needed)) return [];
  for (const fold of FOLDS) {
    const fewer = needed.filter((each) => each !== fold);
    if (explains(fewer)) needed = fewer;
  }
  return needed.map(({ name }) => name);
}

/** A line with all folds applied, for comparing. */
function foldedLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return foldBlanks(dropInvisible(foldDashes(foldQuotes(text.normalize("NFC")))));
}

/** Single and double quotes become the same, because many languages have both. */
function foldQuotes(text: string): string {
  return text.replace(/['`\u00b4\u2018-\u201f\u2032\u2033\u00ab\u00bb]/g, '"');
}

function foldDashes(text: string): string {
  return text.replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, "-");
}

function dropInvisible(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "");
}

function trimLines(text: string): string {
  return text.replace(/^\s*\n/, "").replace(/\n\s*$/, "");
}

/** Each run of blanks becomes one blank, or none at either end of a line; line ends stay. */
function foldBlanks(text: string): string {
  return text.replace(/[^\S\r\n]+/g, " ").replace(/^ | $/gm, "");
}

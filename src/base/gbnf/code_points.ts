/** A set of code points: ranges in order that do not touch, both ends included. */
export type CodePoints = readonly (readonly [from: number, to: number])[];

/** Every code point that UTF-8 can write: not the surrogates. */
export const ALL: CodePoints = [[0, 0xd7ff], [0xe000, 0x10ffff]];

/** The union of ranges that are given in any order. */
export function setOf(ranges: CodePoints): CodePoints {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return common(merged, ALL);
}

/** The intersection of two sets. */
export function common(one: CodePoints, other: CodePoints): CodePoints {
  return one.flatMap(([from, to]) =>
    other.map(([low, high]) => [Math.max(from, low), Math.min(to, high)] as const)
      .filter(([low, high]) => low <= high)
  );
}

/** The complement of a set. */
export function allBut(set: CodePoints): CodePoints {
  let next = 0;
  const gaps: [number, number][] = [];
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  return common([...gaps, [next, 0x10ffff]], ALL);
}

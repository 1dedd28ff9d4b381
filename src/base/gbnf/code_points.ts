/** A set of code points: ranges in order that do not touch, both ends included. */
export type CodePoints = readonly (readonly [from: number, to: number])[];

/** Every code point that UTF-8 can write: not the surrogates. */
export const ALL_CODE_POINTS: CodePoints = [[0, 0xd7ff], [0xe000, 0x10ffff]];

/** The set of one code point. */
export function only(point: number): CodePoints {
  return [[point, point]];
}

/** The union of ranges that are given in any order. */
export function union(ranges: CodePoints): CodePoints {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return intersection(merged, ALL_CODE_POINTS);
}

/** The intersection of two sets. */
export function intersection(one: CodePoints, other: CodePoints): CodePoints {
  return one.flatMap(([from, to]) =>
    other.map(([low, high]) => [Math.max(from, low), Math.min(to, high)] as const)
      .filter(([low, high]) => low <= high)
  );
}

/** The complement of a set. */
export function complement(set: CodePoints): CodePoints {
  let next = 0;
  const gaps: [number, number][] = [];
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  return intersection([...gaps, [next, 0x10ffff]], ALL_CODE_POINTS);
}

import type { Rules } from "./rules.ts";

/** Between which strings of digits another has to be; no bound is met by all. */
export interface DigitBounds {
  /** The least. */
  low?: string | undefined;
  /** The greatest. */
  high?: string | undefined;
}

/**
 * A sequence for the strings of as many digits as the bounds have, `length` where there is none,
 * that are between them.
 */
export function sameLength(rules: Rules, bounds: DigitBounds, length: number): string {
  // What all digits meet is no bound.
  const low = /^0*$/.test(bounds.low ?? "") ? undefined : bounds.low;
  const high = /^9*$/.test(bounds.high ?? "") ? undefined : bounds.high;
  if (low === undefined && high === undefined) {
    return length === 0 ? '""' : length === 1 ? "[0-9]" : `[0-9]{${length}}`;
  }
  if (length === 0) return '""';
  const ways = steps({ low, high }).map(({ digits, next }) => {
    const rest = sameLength(rules, next, length - 1);
    return rest === '""' ? digits : `${digits} ${rest}`;
  });
  return ways.length === 1 ? ways[0]! : rules.add("digits", ways.join(" | "));
}

/** Of a fraction's digits, none of which is a zero at the end: the bounds, and whether they count. */
export interface FractionBounds extends DigitBounds {
  /** Whether the least itself is too little. */
  above?: boolean;
  /** Whether the greatest itself is too much. */
  below?: boolean;
}

/**
 * The rule for the digits of a fraction between the bounds, `left` of them at most and `least` of
 * them at least, or undefined where there is none.
 */
export function fraction(
  rules: Rules,
  bounds: FractionBounds,
  { left, least }: { left: number; least: number },
): string | undefined {
  // What counts itself is at least the nothing that is left of it.
  const low = bounds.low === "" && !bounds.above ? undefined : bounds.low;
  const { high, above = false, below = false } = bounds;
  if (low === undefined && high === undefined) {
    return rules.add("digits", left === 0 ? '""' : `[0-9]{${least},${left}}`);
  }
  const mayEnd = least === 0 && low === undefined && !(high === "" && below);
  const ways = left === 0 ? [] : steps({ low, high }).flatMap(({ digits, next }) => {
    const rest = fraction(rules, { ...next, above, below }, { left: left - 1, least: 0 });
    return rest === undefined ? [] : [`${digits} ${rest}`];
  });
  const all = mayEnd ? [...ways, '""'] : ways;
  return all.length === 0 ? undefined : rules.add("digits", all.join(" | "));
}

/** The first digits that there can be, those with the same bounds for what follows together. */
function steps({ low, high }: DigitBounds): { digits: string; next: DigitBounds }[] {
  const first = low === undefined ? 0 : Number(low[0] ?? 0);
  const last = high === undefined ? 9 : Number(high[0] ?? 0);
  const found: { digits: string; next: DigitBounds }[] = [];
  const add = (from: number, to: number) => {
    if (from > to) return;
    const next = {
      ...(low !== undefined && from === first && { low: low.slice(1) }),
      ...(high !== undefined && to === last && { high: high.slice(1) }),
    };
    found.push({ digits: from === to ? `"${from}"` : `[${from}-${to}]`, next });
  };
  if (first === last) add(first, last);
  else if (first < last) {
    const [from, to] = [
      low === undefined ? first : first + 1,
      high === undefined ? last : last - 1,
    ];
    if (low !== undefined) add(first, first);
    add(from, to);
    if (high !== undefined) add(last, last);
  }
  return found;
}

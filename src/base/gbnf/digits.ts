import type { Rules } from "./rules.ts";

/** The bounds of a string of digits, both inclusive. A bound that is missing bounds nothing. */
export interface DigitBounds {
  /** The least. */
  low?: string | undefined;
  /** The greatest. */
  high?: string | undefined;
}

/**
 * A sequence for the strings of `length` digits between the bounds, which have as many digits.
 */
export function sameLength(rules: Rules, bounds: DigitBounds, length: number): string {
  // `00…0` and `99…9` bound nothing.
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

/** The bounds of the digits after a decimal point, which have no zeros at the end. */
export interface FractionBounds extends DigitBounds {
  /** True if the lower bound is exclusive. */
  above?: boolean;
  /** True if the upper bound is exclusive. */
  below?: boolean;
}

/**
 * The rule for the digits of a fraction between the bounds: at least `least` and at most `left`
 * digits. Returns undefined if no fraction fits.
 */
export function fraction(
  rules: Rules,
  bounds: FractionBounds,
  { left, least }: { left: number; least: number },
): string | undefined {
  // An inclusive lower bound with no digits left admits every fraction.
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

/** The possible first digits, grouped by the bounds of the digits after them. */
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

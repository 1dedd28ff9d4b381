import type { Rules } from "./rules.ts";

/** The largest safe integer. A call with an integer that JavaScript would change is refused. */
const MAX_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/** The rule for the safe integers from `low` to `high`; undefined if there are no such integers. */
export function integerRule(
  rules: Rules,
  { low = -MAX_INTEGER, high = MAX_INTEGER }: {
    low?: bigint | undefined;
    high?: bigint | undefined;
  },
): string | undefined {
  const choices: string[] = [];
  if (low < 0n) {
    const negative = naturalRule(rules, { low: high >= 0n ? 1n : -high, high: -low });
    if (negative !== undefined) choices.push(rules.add("negative", `"-" ${negative}`));
  }
  if (high >= 0n) {
    const natural = naturalRule(rules, { low: low < 0n ? 0n : low, high });
    if (natural !== undefined) choices.push(natural);
  }
  return choices.length === 0 ? undefined : rules.choice("integer", choices);
}

/** The rule for the safe integers of a range without negative numbers; undefined if it is empty. */
export function naturalRule(
  rules: Rules,
  { low, high = MAX_INTEGER }: { low: bigint; high?: bigint | undefined },
): string | undefined {
  const greatest = high > MAX_INTEGER ? MAX_INTEGER : high;
  if (low > greatest) return undefined;
  const [shortest, longest] = [`${low}`.length, `${greatest}`.length];
  const choices: string[] = [];
  // Digit counts that lie wholly in range, merged into one run `[from, to]`.
  let free: [from: number, to: number] | undefined;
  for (let length = shortest; length <= longest; length++) {
    const least = length === 1 ? 0n : 10n ** BigInt(length - 1);
    const most = 10n ** BigInt(length) - 1n;
    const from = low > least ? low : least;
    const to = greatest < most ? greatest : most;
    if (length > 1 && from === least && to === most) free = [free?.[0] ?? length, length];
    else choices.push(ofLength(rules, { low: `${from}`, high: `${to}` }));
  }
  if (free !== undefined) choices.push(`[1-9] [0-9]{${free[0] - 1},${free[1] - 1}}`);
  return rules.add("natural", choices.join(" | "));
}

/** A sequence for the numbers between two of the same length. Writes their common prefix once. */
function ofLength(rules: Rules, { low, high }: { low: string; high: string }): string {
  if (low === high) return `"${low}"`;
  const same = [...low].findIndex((digit, at) => digit !== high[at]);
  const rest = digitsRule(rules, {
    ...{ low: low.slice(same), high: high.slice(same) },
    length: low.length - same,
  });
  return same === 0 ? rest : `"${low.slice(0, same)}" ${rest}`;
}

/** The bounds of a string of digits, both inclusive. A bound that is missing bounds nothing. */
type DigitBounds = { low?: string | undefined; high?: string | undefined };

/** A sequence for the strings of `length` digits between the bounds, which have as many digits. */
function digitsRule(rules: Rules, { length, ...bounds }: DigitBounds & { length: number }): string {
  if (length === 0) return '""';
  // `00…0` and `99…9` bound nothing.
  const low = /^0*$/.test(bounds.low ?? "") ? undefined : bounds.low;
  const high = /^9*$/.test(bounds.high ?? "") ? undefined : bounds.high;
  if (low === undefined && high === undefined) return length === 1 ? "[0-9]" : `[0-9]{${length}}`;
  const ways = steps({ low, high }).map(({ digits, next }) => {
    const rest = digitsRule(rules, { ...next, length: length - 1 });
    return rest === '""' ? digits : `${digits} ${rest}`;
  });
  return ways.length === 1 ? ways[0]! : rules.add("digits", ways.join(" | "));
}

/**
 * The rule for the digits of a fraction between the bounds, which have no zeros at the end: at least
 * `least` and at most `left` digits. `above` and `below` make a bound exclusive. Returns undefined
 * if no fraction fits.
 */
export function fraction(
  rules: Rules,
  bounds: {
    low?: string | undefined;
    high?: string | undefined;
    above?: boolean;
    below?: boolean;
  },
  { left, least }: { left: number; least: number },
): string | undefined {
  const { high, above = false, below = false } = bounds;
  // An inclusive lower bound with no digits left admits every fraction.
  const low = bounds.low === "" && !above ? undefined : bounds.low;
  if (low === undefined && high === undefined) {
    return rules.add("digits", left === 0 ? '""' : `[0-9]{${least},${left}}`);
  }
  const ways = left === 0 ? [] : steps({ low, high }).flatMap(({ digits, next }) => {
    const rest = fraction(rules, { ...next, above, below }, { left: left - 1, least: 0 });
    return rest === undefined ? [] : [`${digits} ${rest}`];
  });
  const mayEnd = least === 0 && low === undefined && !(high === "" && below);
  if (mayEnd) ways.push('""');
  return ways.length === 0 ? undefined : rules.add("digits", ways.join(" | "));
}

/** The possible first digits, grouped by the bounds of the digits after them. */
function steps({ low, high }: DigitBounds): { digits: string; next: DigitBounds }[] {
  const first = low === undefined ? 0 : Number(low[0] ?? 0);
  const last = high === undefined ? 9 : Number(high[0] ?? 0);
  if (first > last) return [];
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
  else {
    if (low !== undefined) add(first, first);
    add(low === undefined ? first : first + 1, high === undefined ? last : last - 1);
    if (high !== undefined) add(last, last);
  }
  return found;
}

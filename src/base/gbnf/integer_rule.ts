import { type DigitBounds, sameLength } from "./digits.ts";
import type { Rules } from "./rules.ts";

/** The largest safe integer. A call with an integer that JavaScript would change is refused. */
const MAX_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/** The rule for the safe integers from `low` to `high`; undefined if there are no such integers. */
export function integerRule(
  rules: Rules,
  { low, high }: { low: bigint | undefined; high: bigint | undefined },
): string | undefined {
  const choices: string[] = [];
  if (low === undefined || low < 0n) {
    const negative = naturalRule(rules, {
      low: high === undefined || high >= 0n ? 1n : -high,
      high: low === undefined ? MAX_INTEGER : -low,
    });
    if (negative !== undefined) choices.push(rules.add("negative", `"-" ${negative}`));
  }
  if (high === undefined || high >= 0n) {
    const natural = naturalRule(rules, {
      low: low === undefined || low < 0n ? 0n : low,
      high: high ?? MAX_INTEGER,
    });
    if (natural !== undefined) choices.push(natural);
  }
  return choices.length === 0 ? undefined : rules.choice("integer", choices);
}

/** The rule for the safe integers of a range without negative numbers; undefined if it is empty. */
export function naturalRule(
  rules: Rules,
  { low, high }: { low: bigint; high: bigint },
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
    if (length > 1 && from === least && to === most) {
      free = [free?.[0] ?? length, length];
    } else {
      choices.push(ofLength(rules, { low: `${from}`, high: `${to}` }));
    }
  }
  if (free !== undefined) choices.push(`[1-9] [0-9]{${free[0] - 1},${free[1] - 1}}`);
  return rules.add("natural", choices.join(" | "));
}

function ofLength(rules: Rules, bounds: Required<DigitBounds>): string {
  const { low, high } = bounds;
  if (low === high) return `"${low}"`;
  // Write the common prefix once.
  const same = [...low!].findIndex((digit, at) => digit !== high![at]);
  const rest = sameLength(
    rules,
    { low: low!.slice(same), high: high!.slice(same) },
    low!.length - same,
  );
  return same === 0 ? rest : `"${low!.slice(0, same)}" ${rest}`;
}

import type { Rules } from "./rules.ts";

/** How often llama.cpp repeats something at most; above 2,000 it refuses, or forgets the bound. */
const ONCE = 1_000;

/** The largest bound that is kept. */
export const MAX_TIMES = ONCE * ONCE;

/**
 * The named rule, between `min` and `max` times, as a sequence for a body (not for an operator).
 * Bounds in the thousands are blocks of a thousand, so that they take a few rules alone. Bounds
 * above {@link MAX_TIMES} are for the caller to leave out.
 */
export function repeat(
  rules: Rules,
  name: string,
  { min, max }: { min: number; max: number },
): string {
  if (max === 0) return '""';
  if (max === Infinity && min <= 1) return `${name}${min === 0 ? "*" : "+"}`;
  if (max === Infinity) return `${repeat(rules, name, { min, max: min })} ${name}*`;
  if (min === 0 && max === 1) return `${name}?`;
  if (max <= ONCE) {
    if (min === max) return min === 1 ? name : `${name}{${min}}`;
    return `${name}{${min},${max}}`;
  }
  const [blocks, rest] = [Math.floor(max / ONCE), max % ONCE];
  const block = rules.add(`${name}-${ONCE}`, `${name}{${ONCE}}`);
  if (min === max) {
    const tail = rest === 0 ? "" : ` ${repeat(rules, name, { min: rest, max: rest })}`;
    return `${block}{${blocks}}${tail}`;
  }
  if (min > 0) {
    const first = repeat(rules, name, { min, max: min });
    return `${first} ${repeat(rules, name, { min: 0, max: max - min })}`;
  }
  const fewer = blocks === 1 ? "" : `${block}{0,${blocks - 1}} `;
  const last = rest === 0 ? "" : ` ${repeat(rules, name, { min: 0, max: rest })}`;
  return rules.add(
    `${name}-to-${max}`,
    `${fewer}${name}{0,${ONCE - 1}} | ${block}{${blocks}}${last}`,
  );
}

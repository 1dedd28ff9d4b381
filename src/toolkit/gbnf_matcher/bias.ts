/** How many entries a `logit_bias` has at most: more than 300 are refused by some APIs. */
export const MAX_BIASES = 300;

/** What forbids a token, or chooses it above all others. */
const FULL = 100;

/**
 * The `logit_bias` that leaves only the allowed ids: -100 for every other, or, where those are
 * too many, 100 for the allowed ones. Undefined where those are too many too, or there is none.
 */
export function biasOf(
  ids: readonly number[],
  allowed: readonly number[],
): Record<string, number> | undefined {
  if (allowed.length === 0) return undefined;
  const may = new Set(allowed);
  const forbidden = ids.filter((id) => !may.has(id));
  if (forbidden.length <= MAX_BIASES) {
    return Object.fromEntries(forbidden.map((id) => [id, -FULL]));
  }
  if (allowed.length > MAX_BIASES) return undefined;
  return Object.fromEntries(allowed.map((id) => [id, FULL]));
}

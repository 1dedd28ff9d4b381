import { distance } from "fastest-levenshtein";

/**
 * The one of `names` that `name` was probably meant to be: the nearest by edit
 * distance, letter case aside, when that is at most `max(2, 0.3 × length)`.
 */
export function nearest(
  name: string,
  names: readonly string[],
): string | undefined {
  // Past this length nothing is near, and the distance takes quadratic time.
  if (name.length > 200) return undefined;
  const lower = name.toLowerCase();
  let best: string | undefined;
  let least = Infinity;
  for (const each of names) {
    const away = distance(lower, each.toLowerCase());
    // Two short names that share nothing are not near each other.
    if (away < least && away < Math.max(name.length, each.length)) {
      [best, least] = [each, away];
    }
  }
  return least <= Math.max(2, 0.3 * name.length) ? best : undefined;
}

/** The end of a message on an unknown name: the nearest of `names`, or else where they are listed. */
export function hint(near: string | undefined, listing: string): string {
  return near === undefined ? `see "${listing}"` : `the nearest is "${near}"`;
}

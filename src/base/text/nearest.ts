import { levenshteinDistance } from "@std/text/levenshtein-distance";

/** A longer name resembles none, and the distance takes quadratic time. */
const MAX_NAME = 200;

/**
 * The names of `candidates` whose distance from `name` is at most `maxDistance`, the most similar
 * first. The default of `distance` is the number of edits. `fold` makes names equal that should count
 * as equal; default: lower case.
 */
export function similarNames(
  name: string,
  candidates: Iterable<string>,
  { maxDistance, distance = editDistance, fold = (each) => each.toLowerCase() }: {
    maxDistance: number;
    distance?: (name: string, candidate: string) => number;
    fold?: (name: string) => string;
  },
): string[] {
  const folded = fold(name);
  return Array.from(candidates, (each) => ({ each, distance: distance(folded, fold(each)) }))
    .filter((candidate) => candidate.distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .map(({ each }) => each);
}

/** The number of edits that turn one name into the other. */
export function editDistance(name: string, candidate: string): number {
  return levenshteinDistance(name, candidate);
}

/**
 * The one of `names` that `name` was probably meant to be: the first with the fewest edits, letter
 * case aside. A name of up to four letters may have one edit, one of up to eight two, and a longer one
 * 0.3 × its length. Both names must begin with the same letter, unless two letters are swapped.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  return similarNames(name, names, {
    maxDistance: name.length <= 4 ? 1 : Math.max(2, 0.3 * name.length),
    distance(folded, candidate) {
      if (isSwapped(folded, candidate)) return 1;
      return folded[0] === candidate[0] ? editDistance(folded, candidate) : Infinity;
    },
  })[0];
}

/** Whether two neighbouring characters of a name are swapped in the other one. */
function isSwapped(name: string, other: string): boolean {
  if (name.length !== other.length) return false;
  const at = [...name].findIndex((character, index) => character !== other[index]);
  return at >= 0 && name[at] === other[at + 1] && name[at + 1] === other[at] &&
    name.slice(at + 2) === other.slice(at + 2);
}

/**
 * The end of a message on an unknown name: the most similar name, or else where the names are listed.
 */
export function hint(near: string | undefined, listing: string): string {
  return near === undefined ? `see "${listing}"` : `did you mean "${near}"?`;
}

import { distance } from "fastest-levenshtein";

/** The names that are like a name that does not exist, the nearest first. */
export function closest(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length * 0.4));
  return names
    .map((candidate) => ({ candidate, far: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .map(({ candidate }) => candidate);
}

/** A name that begins with the other is near too. */
function distanceOf(wanted: string, candidate: string): number {
  if (wanted.length > 1 && (candidate.startsWith(wanted) || wanted.startsWith(candidate))) return 1;
  return distance(wanted, candidate);
}

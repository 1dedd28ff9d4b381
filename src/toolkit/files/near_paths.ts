import { editDistance, similarNames } from "../../base/text/nearest.ts";

const MAX_SIBLINGS = 20_000;

/**
 * Names in the folder of a missing file that are likely meant, at most three,
 * nearest first. Empty when the folder cannot or may not be read. `mayRead`
 * decides on each path before it is named.
 */
export function nearPaths(
  path: string,
  mayRead: (path: string) => boolean,
): string[] {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!mayRead(folder)) return [];
  const near = similarNames(name, siblings(folder).sort(), {
    maxDistance: Math.max(2, Math.floor(folded(name).length * 0.4)),
    fold: folded,
    distance: nearness,
  });
  const prefix = folder === "/" ? "/" : `${folder}/`;
  return near.filter((name) => mayRead(prefix + name)).slice(0, 3);
}

function siblings(folder: string): string[] {
  const names: string[] = [];
  try {
    for (const entry of Deno.readDirSync(folder)) {
      if (names.push(entry.name) === MAX_SIBLINGS) break;
    }
  } catch {
    // Without the right to look there is nothing to suggest.
  }
  return names;
}

function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** The number of edits between two names; the same name with another ending is near. */
function nearness(wanted: string, name: string): number {
  const edits = editDistance(wanted, name);
  return stem(wanted) === stem(name) ? Math.min(edits, 2) : edits;
}

function stem(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

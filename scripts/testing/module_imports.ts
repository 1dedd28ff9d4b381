/** Which files of the checkout import which, read from their text. */
import { readText } from "../files_below.ts";

/** Imports and exports of values, `import()`, and files that are named for a Worker or a read. */
const IMPORTS =
  /^\s*(?:import|export)\s+(?!type\b)[^;"']*?\bfrom\s*"(\.[^"]+)"|^\s*import\s+"(\.[^"]+)"|import\(\s*"(\.[^"]+)"|new URL\(\s*"(\.[^"]+)"/gm;

/**
 * The files that import each file, directly. Types count as nothing, because they are gone at run
 * time. `paths` are all files, relative to the checkout.
 */
export function importersOf(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Set(paths);
  const importers = new Map<string, Set<string>>();
  for (const path of paths.filter((each) => /\.(tsx?|js)$/.test(each))) {
    for (const match of readText(path).matchAll(IMPORTS)) {
      const name = match.slice(1).find((each) => each !== undefined)!;
      const to = new URL(name, `file:///${path}`).pathname.slice(1);
      if (known.has(to)) importers.set(to, (importers.get(to) ?? new Set()).add(path));
    }
  }
  return importers;
}

/** The files that import `path`, directly or through others, and `path` itself. */
export function allImportersOf(
  path: string,
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> {
  const found = new Set([path]);
  for (const each of found) {
    for (const importer of importers.get(each) ?? []) found.add(importer);
  }
  return found;
}

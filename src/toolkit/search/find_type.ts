import { editDistance, similarNames } from "../../base/text/nearest.ts";
import fileTypes from "./file_types.json" with { type: "json" };

/** ripgrep's file types: the name, and the globs of the file names. */
const FILE_TYPES: ReadonlyMap<string, string[]> = new Map(
  Object.entries(fileTypes).map(([name, globs]) => [name, globs.split(" ")]),
);

/** Checks the name of a file type; `all` is every known type. Throws an Error with similar names. */
export function checkType(name: string): void {
  if (name === "all" || FILE_TYPES.has(name)) return;
  const byEnding = [...FILE_TYPES].filter(([, list]) => list.includes(`*.${name}`));
  const near = [...byEnding.map(([type]) => type), ...similarTypes(name)];
  const names = [...new Set(near)].slice(0, 5).map((type) => `"${type}"`);
  const hint = names.length > 0 ? `; similar: ${names.join(", ")}` : "";
  throw new Error(`Unknown file type "${name}"${hint}; for any other files use glob`, {
    cause: { type: name },
  });
}

function similarTypes(name: string): string[] {
  const maxDistance = Math.max(1, Math.floor(name.length * 0.4));
  return similarNames(name, FILE_TYPES.keys(), {
    maxDistance,
    // A name that begins with the other is similar too.
    distance: (wanted, type) =>
      wanted.length > 1 && (type.startsWith(wanted) || wanted.startsWith(type))
        ? 1
        : editDistance(wanted, type),
  });
}

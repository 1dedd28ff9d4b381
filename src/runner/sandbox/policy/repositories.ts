import { dirname } from "@std/path/posix/dirname";
import { isThere } from "./paths.ts";

/**
 * The directories above the paths, which must be real, that hold a repository of git or jj.
 * Ignore rules of git count only inside one, and a Worker may not look above its grants.
 */
export function repositoriesAbove(paths: readonly string[]): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const path of paths) {
    for (let at = path; at !== dirname(at);) {
      at = dirname(at);
      if (seen.has(at)) break;
      seen.add(at);
      const prefix = at === "/" ? "" : at;
      if (isThere(`${prefix}/.git`) || isThere(`${prefix}/.jj`)) found.add(at);
    }
  }
  return [...found];
}

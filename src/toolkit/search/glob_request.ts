import { resolve } from "@std/path/posix/resolve";
import { GlobMatcher } from "./glob_matcher.ts";

/** A glob that has been read, relative to the folder that it is looked for in. */
export interface ReadGlob {
  /** The compiled glob. */
  matcher: GlobMatcher;
  /** The glob, relative to the folder. */
  glob: string;
  /** The components before the first wildcard: what the glob names outright. */
  named: readonly string[];
  /** Whether every component is named: the glob is a plain path. */
  isPlain: boolean;
}

/**
 * Reads the glob of a call. An absolute one has to lie below the folder, given
 * by its path as it is shown and its real one. Throws an Error for an invalid
 * glob and for one that leaves the folder.
 */
export function readGlob(pattern: string, folder: { shown: string; real: string }): ReadGlob {
  const glob = relativeGlob(pattern, folder);
  if (hasParentComponent(glob)) throw leaves(pattern, folder.shown);
  const components = glob.split("/");
  const wild = components.findIndex((component) => /[?*[\]{}\\]/.test(component));
  try {
    return {
      matcher: new GlobMatcher(glob, { flavour: "path" }),
      glob,
      named: wild === -1 ? components : components.slice(0, wild),
      isPlain: wild === -1,
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`Invalid glob "${pattern}": ${error.message}`, { cause: { pattern } });
  }
}

function relativeGlob(pattern: string, folder: { shown: string; real: string }): string {
  let glob = pattern;
  if (glob.startsWith("/")) {
    const base = [folder.shown, folder.real].map((path) => resolve(path).replace(/\/?$/, "/"))
      .find((path) => glob.startsWith(path));
    if (base === undefined) throw leaves(pattern, folder.shown);
    glob = glob.slice(base.length);
  }
  return glob.split("/").filter((part) => part !== "." && part !== "").join("/");
}

/** Whether `..` stands, or could come out of braces and classes, as a component. */
function hasParentComponent(glob: string): boolean {
  return /(^|[/{,])\.\.($|[/},])/.test(glob.replaceAll("\\", ""));
}

function leaves(pattern: string, folder: string): Error {
  return new Error(
    `Cannot look for "${pattern}": it leaves the folder "${folder}"; give the folder as path and a pattern below it`,
    { cause: { pattern } },
  );
}

import { normalize } from "@std/path/posix/normalize";

/** A function from real paths below `root` to the paths to show, which begin with `given`. */
export function shownFrom(root: string, given = "."): (path: string) => string {
  const name = normalize(given).replace(/(.)\/$/, "$1");
  const prefix = name === "." ? "" : name.endsWith("/") ? name : name + "/";
  const start = root.endsWith("/") ? root.length : root.length + 1;
  return (path) => path === root ? name : prefix + path.slice(start);
}

/** The path of an entry of a directory. */
export function entryPath(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** Compares names by code points, which is the order of their UTF-8 bytes. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    // Surrogates encode code points above all other units.
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

/** Compares paths in the order of a walk that goes depth first. */
export function compareDepthFirst(a: string, b: string): number {
  return compareNames(a.replaceAll("/", "\0"), b.replaceAll("/", "\0"));
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xD800 && unit <= 0xDFFF;
}

/** The directories of version control systems, which searches exclude. */
export const VERSION_CONTROL: ReadonlySet<string> = new Set([
  ...[".git", ".svn", ".hg", ".bzr", ".jj", ".sl"],
]);

/** The version control directories that a glob names. */
export function namedVersionControl(glob: string): ReadonlySet<string> {
  return new Set(glob.split(/[/{},\s]/)).intersection(VERSION_CONTROL);
}

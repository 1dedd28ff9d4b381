import { lookAt } from "../../base/fs/path_status.ts";
import { entryPath } from "./paths.ts";

/** A name in brackets, as frameworks for the web use it: `[id]`, `[...slug].tsx`, `[[...all]]`. */
const NAME_IN_BRACKETS = /^\[{1,2}(?:\.\.\.)?\w{2,}\]{1,2}(?:\.\w+)*$/;

/**
 * A hint for a glob that matches nothing, if it probably means a name with brackets or braces. That
 * is a name which exists below the directory `base`, or looks like `[id]`. The hint has the glob that
 * matches such a name. Paths that `mayRead` refuses count as missing.
 */
export function literalHint(
  glob: string,
  { base, mayRead }: { base: string; mayRead(path: string): boolean },
): string | undefined {
  const components = glob.split("/");
  const literal = new Set<number>();
  let path = base;
  for (const [index, component] of components.entries()) {
    if (/[*?\\]/.test(component)) break;
    path = entryPath(path, component);
    if (!mayRead(path) || lookAt(path) === undefined) break;
    if (/[[\]{}]/.test(component)) literal.add(index);
  }
  const exists = literal.size > 0;
  for (const [index, component] of components.entries()) {
    if (NAME_IN_BRACKETS.test(component)) literal.add(index);
  }
  if (literal.size === 0) return undefined;
  const escaped = components.map((component, index) =>
    literal.has(index) ? component.replace(/[[\]{},\s]/g, "\\$&") : component
  );
  const names = [...literal].map((index) => `"${components[index]}"`).join(" and ");
  const why = exists
    ? `${names} exists, but brackets and braces are wildcards`
    : `Brackets are wildcards, also in ${names}`;
  return `${why}; for the name itself use "${escaped.join("/")}"`;
}

import type { Grants } from "./grants.ts";
import { coversValue } from "./intersect.ts";
import { isInside } from "./paths.ts";
import type { Scope } from "./scope.ts";

/**
 * Reduces the file grants to the part in `directories`, real paths. Tools and programs then read
 * and write nothing outside of them. The denied paths stay denied, and a protected file stays
 * protected if a directory names it.
 */
export function narrowed(grants: Grants, directories: readonly string[]): Grants {
  const { all, allow } = grants;
  const everything = { net: true, run: true, env: true, sys: true, mcp: true } as const;
  return {
    ...grants,
    all: false,
    allow: {
      ...(all ? everything : allow),
      read: common("read", grants, directories),
      write: common("write", grants, directories),
    },
  };
}

/** The paths that the grants of a kind and the directories have in common. */
function common(kind: "read" | "write", grants: Grants, directories: readonly string[]): Scope {
  const scope = grants.allow[kind] ?? [];
  const paths = scope === true ? [] : scope;
  const inner = directories.flatMap((directory) =>
    coversValue(kind, directory, grants)
      ? directory
      : paths.filter((path) => isInside(path, directory))
  );
  return [...new Set(inner)];
}

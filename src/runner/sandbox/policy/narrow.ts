import type { Grants } from "./grants.ts";
import { isInside } from "./paths.ts";
import type { Scope } from "./scope.ts";

/**
 * Reduces the file grants to the part in `directories`, real paths. Tools and programs then read
 * and write nothing outside of them. The denied paths stay denied.
 */
export function narrowed(grants: Grants, directories: readonly string[]): Grants {
  const { all, allow } = grants;
  const everything = { net: true, run: true, env: true, sys: true, mcp: true } as const;
  return {
    ...grants,
    all: false,
    allow: {
      ...(all ? everything : allow),
      read: common(all || allow.read, directories),
      write: common(all || allow.write, directories),
    },
  };
}

/** The paths that a scope and the directories have in common. */
function common(scope: Scope | undefined, directories: readonly string[]): Scope {
  if (scope === undefined) return [];
  if (scope === true) return directories;
  const inner = scope.flatMap((path) =>
    directories.flatMap((directory) =>
      isInside(path, directory) ? path : isInside(directory, path) ? directory : []
    )
  );
  return [...new Set(inner)];
}

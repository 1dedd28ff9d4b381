import type { Grants } from "./grants.ts";
import { isInside } from "./paths.ts";
import type { Scope } from "./scope.ts";

/**
 * Reduces the file grants to the part in `folders`, real paths. Tools and programs then read and
 * write nothing outside of them. The denied paths stay denied.
 */
export function narrowed(grants: Grants, folders: readonly string[]): Grants {
  const { all, allow } = grants;
  const everything = { net: true, run: true, env: true, sys: true, mcp: true } as const;
  return {
    ...grants,
    all: false,
    allow: {
      ...(all ? everything : allow),
      read: common(all || allow.read, folders),
      write: common(all || allow.write, folders),
    },
  };
}

/** The paths that a scope and the directories have in common. */
function common(scope: Scope | undefined, folders: readonly string[]): Scope {
  if (scope === undefined) return [];
  if (scope === true) return folders;
  const inner = scope.flatMap((path) =>
    folders.flatMap((folder) =>
      isInside(path, folder) ? path : isInside(folder, path) ? folder : []
    )
  );
  return [...new Set(inner)];
}

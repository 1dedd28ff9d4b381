import type { Grants } from "./grants.ts";
import { isInside } from "./paths.ts";
import type { Scope } from "./scope.ts";

/**
 * The grants as far as files are concerned cut down to what lies in `folders`, real paths:
 * nothing outside of them is read or written, by programs neither. What is denied stays so.
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

/** What two scopes of paths have in common. */
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

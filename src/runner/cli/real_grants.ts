import { resolve } from "@std/path/posix/resolve";
import { CallError, UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { type Grants, realScopes } from "../sandbox/policy/grants.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { untrustedLink } from "../sandbox/policy/paths.ts";

/** The grants of flags with real paths and hosts in their one form. Throws {@link UsageError}. */
export async function realGrants(given: Grants, cwd: string): Promise<Grants> {
  const hosts = listOf(given.allow.net).concat(listOf(given.deny.net), given.hosts ?? []);
  const grants = hosts.length === 0 ? given : await canonicalHosts(given);
  try {
    const allow = realScopes(grants.allow, cwd);
    const write = listOf(allow.write);
    const named = [grants.allow, grants.deny].flatMap(({ read, write, run }) => [
      ...listOf(read),
      ...listOf(write),
      ...listOf(run).filter((name) => name.includes("/")),
    ]);
    for (const path of named) rejectPlantedLink(path, { write, cwd });
    return { ...grants, allow, deny: realScopes(grants.deny, cwd) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `Cannot look up a path of the flags: ${(error as Error).message}`,
    );
  }
}

async function canonicalHosts(grants: Grants): Promise<Grants> {
  const { withCanonicalHosts } = await import("../sandbox/policy/hosts.ts");
  try {
    return withCanonicalHosts(grants);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function listOf(scope: Scope | undefined): readonly string[] {
  return scope === undefined || scope === true ? [] : scope;
}

/**
 * Rejects a path of the flags through a symlink that a call may have created. The next call would
 * be granted the target of the link.
 */
function rejectPlantedLink(
  path: string,
  { write, cwd }: { write: readonly string[]; cwd: string },
): void {
  const planted = untrustedLink(resolve(cwd, path), write);
  if (planted === undefined) return;
  throw new UsageError(
    `The path ${quote(path)} of a flag goes through the symbolic link ${quote(planted)}, which ` +
      "lies where calls may write; name the path that it leads to",
  );
}

/** Throws a `CallError` for `given` paths that contain symlinks. */
export function refuseLinks(given: Grants, real: Grants): void {
  for (const side of ["allow", "deny"] as const) {
    for (const kind of ["read", "write", "run"] as const) {
      const found = real[side][kind];
      for (const path of listOf(given[side][kind])) {
        if (kind === "run" && !path.includes("/")) continue;
        if (found === true ? path === "/" : found?.includes(path)) continue;
        const flag = `--${side}-${kind}`;
        const why = `the path ${quote(path)} of ${flag} goes through a symbolic link`;
        throw new CallError("unavailable", `Cannot use the flags: ${why}; name what it leads to`);
      }
    }
  }
}

import { UsageError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { PermissionKind } from "../../registry/define.ts";
import type { Grants } from "./grants.ts";
import { coversValue, unionOfDenials } from "./intersect.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns the permissions of `wanted` under a ceiling: what the ceiling denies stays denied. Both
 * have real paths. Throws {@link UsageError} for the first permission that the ceiling does not
 * allow, because narrowing must never widen.
 */
export function underCeiling(wanted: Grants, ceiling: Grants): Grants {
  if (wanted.all && !ceiling.all) throw widening("--allow-all");
  if (!ceiling.all) {
    for (const [kind, scope] of Object.entries(wanted.allow) as [PermissionKind, Scope][]) {
      refuseWidening(kind, scope, ceiling);
    }
  }
  const deny = unionOfDenials(ceiling.deny, wanted.deny);
  const { hosts: _, ...rest } = ceiling;
  return {
    ...rest,
    all: wanted.all,
    allow: wanted.allow,
    deny,
    ...(wanted.hosts && { hosts: wanted.hosts }),
  };
}

function refuseWidening(kind: PermissionKind, scope: Scope, ceiling: Grants): void {
  const allowed = ceiling.allow[kind] ?? [];
  if (scope === true) {
    if (allowed !== true) throw widening(`--allow-${kind}`);
    return;
  }
  for (const value of scope) {
    if (isAllowed(kind, value, { allowed, ceiling })) continue;
    throw widening(`--allow-${kind}=${value}`);
  }
}

function isAllowed(
  kind: PermissionKind,
  value: string,
  { allowed, ceiling }: { allowed: Scope; ceiling: Grants },
): boolean {
  if (kind !== "net") return coversValue(kind, value, ceiling);
  // A bare --allow-net opens public hosts only, and naming a host opens private addresses too.
  return (allowed === true ? ceiling.hosts ?? [] : allowed).includes(value);
}

function widening(flag: string): UsageError {
  return new UsageError(
    `Cannot widen the permissions by ${quote(flag, 4096)}: the command line of this server does ` +
      "not allow it; start the server again with this flag",
  );
}

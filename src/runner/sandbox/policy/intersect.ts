/** The permissions that two sets of flags both grant. */

import { CallError } from "../../../base/errors.ts";
import type { PermissionKind } from "../../registry/define.ts";
import type { Grants } from "./grants.ts";
import { isInside } from "./paths.ts";
import type { Scope } from "./scope.ts";

/** Every kind of permission. */
const KINDS: readonly PermissionKind[] = ["read", "write", "net", "run", "env", "sys", "mcp"];

/**
 * Returns the grants of `given`, restricted to what `wanted` grants too. Denials of both count. Flags
 * of `wanted` without any allow flag only deny. Throws `invalid_arguments` for a value that `given`
 * does not grant at all, because the caller would otherwise believe that it is allowed.
 */
export function intersectGrants(given: Grants, wanted: Grants): Grants {
  const deny = unionOf(given.deny, wanted.deny);
  if (wanted.all || Object.keys(wanted.allow).length === 0) return { ...given, deny };
  const allow: Partial<Record<PermissionKind, Scope>> = {};
  for (const kind of KINDS) {
    const asked = wanted.allow[kind];
    if (asked === undefined) continue;
    const granted = given.all ? true : given.allow[kind];
    if (granted === undefined) throw widening(kind, asked);
    // Without restrictions in `given`, a named private host is still opened only by its own flags.
    const common = kind === "net"
      ? commonHosts(granted, asked, given)
      : commonValues(kind, granted, asked);
    if (common !== undefined) allow[kind] = common;
  }
  const { hosts: _, ...rest } = given;
  const hosts = allow.net === true ? given.hosts : undefined;
  return { ...rest, all: false, allow, deny, ...(hosts && { hosts }) };
}

function commonValues(kind: PermissionKind, granted: Scope, asked: Scope): Scope {
  if (asked === true) return granted;
  if (granted === true) return asked;
  const isPath = kind === "read" || kind === "write";
  const values = asked.flatMap((value) => {
    const common = granted.flatMap((each) => {
      if (value === each) return value;
      const isTree = isPath || kind === "run" && value.startsWith("/") && each.startsWith("/");
      if (isTree && isInside(value, each)) return value;
      return isTree && isInside(each, value) ? each : [];
    });
    if (common.length === 0) throw widening(kind, [value]);
    return common;
  });
  return [...new Set(values)];
}

/**
 * The hosts in common. A flag that names a host also opens its private addresses, which a bare
 * `--allow-net` does not. So a host counts only if the other flags name it too.
 */
function commonHosts(granted: Scope, asked: Scope, { hosts = [] }: Grants): Scope {
  if (asked === true) return granted;
  const named = granted === true ? hosts : granted;
  for (const host of asked) {
    const withoutPort = host.replace(/:\d+$/, "");
    if (named.includes(host) || withoutPort !== "" && named.includes(withoutPort)) continue;
    throw widening("net", [host]);
  }
  return asked;
}

/** The union of two sets of denials. */
function unionOf(first: Grants["deny"], second: Grants["deny"]): Grants["deny"] {
  const all: Partial<Record<PermissionKind, Scope>> = { ...first };
  for (const kind of KINDS) {
    const [one, other] = [first[kind], second[kind]];
    if (other === undefined) continue;
    all[kind] = one === true || other === true ? true : [...new Set([...one ?? [], ...other])];
  }
  return all;
}

function widening(kind: PermissionKind, values: Scope): CallError {
  const flag = values === true ? `--allow-${kind}` : `--allow-${kind}=${values.join(",")}`;
  return new CallError(
    "invalid_arguments",
    `Cannot narrow the permissions to ${flag}: the worker's flags do not grant that`,
    { flag },
  );
}

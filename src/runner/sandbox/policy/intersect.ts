/** The permissions that two sets of flags both grant. */

import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import type { PermissionKind } from "../../registry/define.ts";
import { decide, type Grants } from "./grants.ts";
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
  const deny = unionOfDenials(given.deny, wanted.deny);
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
      : commonValues(kind, asked, given);
    allow[kind] = common;
  }
  const { hosts: _, ...rest } = given;
  const hosts = allow.net === true ? given.hosts : undefined;
  return { ...rest, all: false, allow, deny, ...(hosts && { hosts }) };
}

function commonValues(
  kind: Exclude<PermissionKind, "net">,
  asked: Scope,
  given: Grants,
): Scope {
  const granted = given.all ? true : given.allow[kind] ?? [];
  if (asked === true) return granted;
  const values = asked.flatMap((value) => {
    // A flag that names a protected file opens it, and a flag that names its directory does not.
    if (coversValue(kind, value, given)) return value;
    const inside = granted === true ? [] : granted.filter((each) => isInside(each, value));
    if (inside.length === 0) throw widening(kind, [value]);
    return inside;
  });
  return [...new Set(values)];
}

/**
 * Whether grants cover a value of a flag. A directory does not cover a protected file in it, because
 * a flag that names the file opens it. Paths are real ones.
 */
export function coversValue(
  kind: Exclude<PermissionKind, "net">,
  value: string,
  given: Grants,
): boolean {
  if (kind === "read" || kind === "write") {
    return decide({ name: kind, path: value }, given).granted;
  }
  if (given.all) return true;
  const granted = given.allow[kind] ?? [];
  if (granted === true || granted.includes(value)) return true;
  return kind === "run" && pathRules.isAbsolute(value) &&
    granted.some((each) => pathRules.isAbsolute(each) && isInside(value, each));
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
export function unionOfDenials(first: Grants["deny"], second: Grants["deny"]): Grants["deny"] {
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

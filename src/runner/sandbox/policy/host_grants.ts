/** Flags and needs of hosts. Only calls with a host load this, as it is a tenth of the program. */

import type { Permission } from "../../registry/define.ts";
import type { Decision, Grants } from "./grants.ts";
import { canonicalGrant, decideHost, type HostScopes } from "./hosts.ts";

/** The flags with each host in its canonical form. Throws for an invalid host. */
export function withCanonicalHosts(grants: Grants): Grants {
  const { allow, deny, hosts } = grants;
  const canonical = (scopes: Grants["allow"]) => ({
    ...scopes,
    ...(Array.isArray(scopes.net) && { net: scopes.net.map(canonicalGrant) }),
  });
  return {
    ...grants,
    allow: canonical(allow),
    deny: canonical(deny),
    ...(hosts && { hosts: hosts.map(canonicalGrant) }),
  };
}

/** Compares the need of one host with the flags. */
export function decideNet(
  permission: Extract<Permission, { name: "net" }>,
  grants: Grants,
): Decision {
  return { permission, ...decideHost(permission.host, hostScopes(grants)) };
}

/** The rules of the flags for hosts. */
export function hostScopes({ all, allow, deny, hosts = [] }: Grants): HostScopes {
  return { all, allow: allow.net ?? [], named: hosts, deny: deny.net ?? [] };
}

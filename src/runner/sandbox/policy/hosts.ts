/**
 * Hosts in flags and in the needs of calls: one grammar, one form, one comparison. Only calls with a
 * host load this, as it is a tenth of the program.
 */

import { canonicalHost, isInnerName, splitHost, withBrackets } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";
import {
  addressKind,
  containsAddress,
  isAddress,
  isInBlock,
  isLocalBlock,
  isSameAddress,
} from "./addresses.ts";
import type { Permission } from "../../registry/define.ts";
import type { Decision, Grants } from "./grants.ts";
import type { Scope } from "./scope.ts";

/** The rules of the flags for hosts, each host in its one form. */
export interface HostScopes {
  /** Everything is allowed. */
  all: boolean;
  /** The allowed hosts. */
  allow: Scope;
  /** Hosts that flags name besides one that allows every host. */
  named: readonly string[];
  /** The denied hosts. */
  deny: Scope;
}

/** The decision of the flags on one host. */
export type HostDecision = Omit<Decision, "permission">;

/**
 * A host of a flag in its one form: lower case, without the last dot, addresses as the URL
 * standard writes them. The grammar is Deno's: `example.com`, `example.com:443`,
 * `*.example.com`, `127.0.0.1`, `[::1]:8080`, `10.0.0.0/8`; and `:443`, that port of every
 * public host. Throws for anything else.
 */
export function canonicalGrant(given: string): string {
  const [, before = "", port = ""] = /^(.*?)(:\d*)?$/s.exec(given)!;
  if (port !== "" && !isPort(port.slice(1))) throw malformed(given, "the port is not a number");
  if (before === "" && port !== "") return `:${Number(port.slice(1))}`;
  if (before.includes("//")) throw malformed(given, "give only the host of the URL");
  const wildcard = before.startsWith("*.") ? "*." : "";
  try {
    if (before.includes("/")) {
      if (port !== "") throw new Error("a block of addresses cannot have a port");
      isLocalBlock(before);
      return before.toLowerCase();
    }
    const host = canonicalHost(before.slice(wildcard.length));
    return `${wildcard}${host}${port && `:${Number(port.slice(1))}`}`;
  } catch (error) {
    throw malformed(given, (error as Error).message);
  }
}

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

/**
 * Decides on `host:port`, without asking for its addresses. A flag opens an address that is not
 * public, or a name of this machine or its network, only if it names exactly that.
 */
export function decideHost(needed: string, scopes: HostScopes): HostDecision {
  const refused = denial(needed, scopes.deny);
  if (refused !== undefined) return refused;
  const { host } = splitHost(needed);
  const why = isAddress(host)
    ? closedBecause(host, { needed, scopes })
    : isInnerName(host) && !isNamed(needed, scopes)
    ? "the name belongs to this machine or its network and must be allowed explicitly"
    : undefined;
  const flag = `--allow-net=${needed}`;
  if (why !== undefined) return { granted: false, denied: false, flag, why };
  if (scopes.all) return { granted: true, denied: false, flag: "--allow-all" };
  const granted = scopes.allow === true || scopes.allow.some((each) => covers(needed, each));
  return { granted, denied: false, flag };
}

/**
 * Decides on one of the addresses that the name in `needed`, which is granted, resolves to. A flag
 * that names the host opens private networks and this machine. Link-local, metadata and similar
 * addresses need a flag of that very address.
 */
export function decideAddress(
  address: string,
  { needed, scopes }: { needed: string; scopes: HostScopes },
): HostDecision {
  const own = `${withBrackets(address)}:${splitHost(needed).port}`;
  const refused = denial(own, scopes.deny);
  if (refused !== undefined) return refused;
  const why = closedBecause(address, { needed, scopes });
  const opens = addressKind(address)?.kind === "local" ? needed : own;
  const flag = `--allow-net=${opens}`;
  return { granted: why === undefined, denied: false, flag, ...(why && { why }) };
}

function denial(needed: string, deny: Scope): HostDecision | undefined {
  if (deny === true) return { granted: false, denied: true, flag: "--deny-net" };
  const denying = deny.find((each) => covers(needed, each, containsAddress));
  return denying === undefined
    ? undefined
    : { granted: false, denied: true, flag: `--deny-net=${denying}` };
}

/** The reason why an address is refused; `undefined` when it is allowed. */
function closedBecause(
  address: string,
  { needed, scopes }: { needed: string; scopes: HostScopes },
): string | undefined {
  const { kind, what } = addressKind(address) ?? { kind: "special", what: "no known address" };
  if (kind === "public") return undefined;
  const { port } = splitHost(needed);
  const isOpened = namedIn(scopes).some((grant) => {
    const { host, port: only } = splitHost(grant);
    // A block that is larger than the private ones does not name their addresses.
    if (host.includes("/")) {
      return kind === "local" && isLocalBlock(host) && isInBlock(address, host);
    }
    return (only === "" || only === port) && isSameAddress(address, host);
  });
  if (isOpened || kind === "local" && isNamed(needed, scopes)) return undefined;
  const how = kind === "local" ? "explicitly" : "by its address";
  return `${address} is ${what} and must be allowed ${how}`;
}

/** Whether a flag names this very host; a wildcard does not. */
function isNamed(needed: string, scopes: HostScopes): boolean {
  const { host, port } = splitHost(needed);
  return !host.startsWith("*") && namedIn(scopes).some((grant) => {
    const named = splitHost(grant);
    return named.host === host && (named.port === "" || named.port === port);
  });
}

function namedIn({ allow, named }: HostScopes): readonly string[] {
  return allow === true ? named : [...allow, ...named];
}

/** Whether a host of a flag covers `needed`. */
function covers(
  needed: string,
  grant: string,
  isSame = (host: string, named: string) => host === named,
): boolean {
  const [{ host, port }, named] = [splitHost(needed), splitHost(grant)];
  if (named.port !== "" && named.port !== port) return false;
  if (named.host === "" || named.host === host) return true;
  if (named.host.includes("/")) return isInBlock(host, named.host);
  if (named.host.startsWith("*.")) return `.${host}`.endsWith(named.host.slice(1));
  return isSame(host, named.host);
}

function isPort(digits: string): boolean {
  return /^\d{1,5}$/.test(digits) && Number(digits) <= 65_535;
}

function malformed(given: string, why: string): Error {
  return new Error(`Cannot take ${quote(given)} for a host: ${why}`);
}

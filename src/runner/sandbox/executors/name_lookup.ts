import { lookup } from "node:dns/promises";
import { CallError } from "../../../base/errors.ts";
import { splitHost, withoutBrackets } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";
import { isAddress } from "../policy/addresses.ts";
import type { Grants } from "../policy/grants.ts";
import { hostScopes } from "../policy/host_grants.ts";
import { decideAddress, type HostDecision } from "../policy/hosts.ts";

/**
 * Returns the addresses of `host:port` that the flags let a call reach, as the system's resolver
 * gives them. Forbidden addresses are left out. Throws `permission_denied` when all are forbidden,
 * and `tool_failed` when the name has no address.
 */
export async function checkedAddresses(needed: string, grants: Grants): Promise<string[]> {
  const { host } = splitHost(needed);
  const addresses = isAddress(host) ? [withoutBrackets(host)] : await addressesOf(host);
  const scopes = hostScopes(grants);
  const decisions = addresses.map((address) => decideAddress(address, { needed, scopes }));
  const open = addresses.filter((_, index) => decisions[index]!.granted);
  if (open.length === 0) throw refusal(needed, { addresses, decisions });
  return open;
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true });
    if (found.length > 0) return [...new Set(found.map(({ address }) => address))];
  } catch (error) {
    throw new CallError("tool_failed", `Cannot find the host ${quote(host)}: ${reasonOf(error)}`, {
      host,
    });
  }
  throw new CallError("tool_failed", `Cannot find the host ${quote(host)}: it has no address`);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === "ENOTFOUND") return "its name is not known";
  if (code === "EAI_AGAIN") return "no name server answers";
  return message;
}

function refusal(
  needed: string,
  { addresses, decisions }: { addresses: string[]; decisions: HostDecision[] },
): CallError {
  const lines = decisions.map(({ denied, flag, why }, index) =>
    denied ? `${addresses[index]}: ${flag} forbids it` : `${why}: needs ${flag}`
  );
  const needs = decisions.map(({ flag, denied }, index) => ({
    name: "net",
    host: needed,
    address: addresses[index],
    flag,
    denied,
  }));
  const message = `Cannot use ${quote(needed)}: ${[...new Set(lines)].join("; ")}`;
  return new CallError("permission_denied", message, { needs });
}

import { lookup } from "node:dns/promises";
import { CallError } from "../../../base/errors.ts";
import { isInnerName, withoutBrackets } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";
import { addressKind } from "../../sandbox/policy/addresses.ts";
import { boundedFetch } from "../bounded_fetch.ts";
import { isSecure } from "./oauth_config.ts";

/** Decides on an origin that the metadata of a server name. Throws to refuse it. */
export type OriginQuestion = (origin: string, about: { note?: string }) => Promise<void>;

/** The rules of an {@link OriginGuard}. */
interface OriginRules {
  /** The name of the MCP server, for errors. */
  server: string;
  /** Its address. */
  url: string;
  /** The origins that the user has named: by the configuration, by a flag or at an earlier login. */
  named: readonly string[];
  /** Asked about every other origin. */
  ask: OriginQuestion;
  /** Ends all requests. */
  signal: AbortSignal;
}

/**
 * Lets requests of the OAuth flow reach only the server's own origin and those that the user agreed
 * to. Metadata are written by the server, so they decide nothing themselves. Addresses of this
 * machine and its network are reached only by an origin that the user named, and addresses of cloud
 * metadata services never.
 */
export class OriginGuard {
  #agreed: Set<string>;
  #refused: unknown;

  /** Takes the rules. */
  constructor(readonly rules: OriginRules) {
    this.#agreed = new Set([new URL(rules.url).origin, ...rules.named]);
  }

  /** The origins that were agreed to. */
  get agreed(): ReadonlySet<string> {
    return this.#agreed;
  }

  /** Sends a request. Redirects to another origin are not followed. */
  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    await this.admit(new URL(url));
    const { signal } = this.rules;
    return await boundedFetch(url, { ...init, redirect: init?.redirect ?? "manual", signal });
  };

  /**
   * Throws `unavailable` for an address that may not be reached, and from then on for each: the SDK
   * would go on without a document that it cannot get.
   */
  async admit(url: URL): Promise<void> {
    if (this.#refused !== undefined) throw this.#refused;
    try {
      await this.#check(url);
    } catch (error) {
      throw this.#refused = error;
    }
  }

  async #check(url: URL): Promise<void> {
    const { server, ask } = this.rules;
    const own = new URL(this.rules.url);
    if (url.username !== "" || url.password !== "") throw refusal(server, url, "it has a password");
    if (url.origin === own.origin) return;
    if (!isSecure(url)) throw refusal(server, url, "it does not start with https://");
    const kinds = await kindsOf(url.hostname);
    const special = kinds.find(({ kind }) => kind === "special");
    if (special !== undefined) throw refusal(server, url, `its address is ${special.what}`);
    if (this.#agreed.has(url.origin)) return;
    const local = kinds.find(({ kind }) => kind === "local");
    const isLocal = local !== undefined && !(await kindsOf(own.hostname)).some(isNotPublic);
    await ask(url.origin, isLocal ? { note: `its address is ${local.what}` } : {});
    this.#agreed.add(url.origin);
  }
}

/** Creates the error of an address that metadata name and that is not used. */
export function refusal(server: string, url: URL, why: string): CallError {
  const what = `the MCP server ${quote(server)} names ${quote(url.origin)} for its authorization`;
  return new CallError("unavailable", `Cannot log in: ${what}, but ${why}`, {
    server,
    origin: url.origin,
  });
}

type HostKind = { kind: "public" | "local" | "special"; what: string };

/** The kinds of the addresses of a host. A name without an address has none. */
async function kindsOf(hostname: string): Promise<HostKind[]> {
  const host = withoutBrackets(hostname);
  const kind = addressKind(host);
  if (kind !== undefined) return [kind];
  const inner: HostKind[] = isInnerName(host)
    ? [{ kind: "local", what: "a name of this machine or its network" }]
    : [];
  const found = await lookup(host, { all: true }).catch(() => []);
  return [...inner, ...found.flatMap(({ address }) => addressKind(address) ?? [])];
}

function isNotPublic({ kind }: HostKind): boolean {
  return kind !== "public";
}

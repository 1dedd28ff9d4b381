import type { FetchRequest } from "../../../runner/registry/services.ts";
import { canonicalHost } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";

/** A query for a web search. */
export interface SearchQuery {
  /** The words. */
  query: string;
  /** The domains of results; all if the list is empty. */
  allowed: readonly string[];
  /** The excluded domains. */
  blocked: readonly string[];
}

/** A result of a search. */
export interface SearchHit {
  /** The page's title. */
  title: string;
  /** Its URL. */
  url: string;
  /** A part of its text. */
  snippet: string;
  /** Its date or age, in the provider's words. */
  age?: string;
}

/** The response of a provider. */
export interface SearchAnswer {
  /** The results, best first. */
  hits: SearchHit[];
  /** Further messages of the provider. */
  notes: string[];
}

/** A search provider: it builds requests and reads responses. */
export interface SearchProvider {
  /** Its name, for people. */
  title: string;
  /** Its default base URL, if it has one. */
  endpoint?: string;
  /** True if it requires a key. */
  needsKey: boolean;
  /** The request for a search; `base` is without a slash at the end. */
  request(
    search: SearchQuery,
    options: { base: string; key: string },
  ): { url: string; request: FetchRequest };
  /** Reads a response. */
  answer(json: unknown): SearchAnswer;
  /** Advice for its special statuses. */
  advice?: Readonly<Record<number, string>>;
}

/** The number of results to request. */
export const RESULT_COUNT = 20;

/** A value as an object; empty for any other value. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

/** A value as a list; empty for any other value. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as a text; empty for any other value. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The query with its domains in the syntax of search engines: `site:` and `-site:`. */
export function withSites({ query, allowed, blocked }: SearchQuery): string {
  const only = allowed.map((domain) => `site:${domain}`).join(" OR ");
  const parts = [query, allowed.length > 1 ? `(${only})` : only];
  return [...parts, ...blocked.map((domain) => `-site:${domain}`)].filter((part) => part !== "")
    .join(" ");
}

/** Canonical domains. Throws for an invalid domain, and if both lists have domains. */
export function searchDomains(
  { allowed_domains = [], blocked_domains = [] }: {
    allowed_domains?: readonly string[];
    blocked_domains?: readonly string[];
  },
): { allowed: string[]; blocked: string[] } {
  if (allowed_domains.length > 0 && blocked_domains.length > 0) {
    throw new Error("Cannot search with allowed_domains and blocked_domains: give one of them");
  }
  return { allowed: allowed_domains.map(domainOf), blocked: blocked_domains.map(domainOf) };
}

function domainOf(given: string): string {
  try {
    return canonicalHost(given.replace(/^\*\./, ""));
  } catch {
    throw new Error(`Cannot take ${quote(given)} for a domain: name it alone, such as example.com`);
  }
}

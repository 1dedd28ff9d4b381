import type { FetchRequest } from "../../../runner/registry/services.ts";
import { canonicalHost } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";

/** What is searched for. */
export interface SearchQuery {
  /** The words. */
  query: string;
  /** Domains that results are of; all where there is none. */
  allowed: readonly string[];
  /** Domains that results are not of. */
  blocked: readonly string[];
}

/** One result of a search. */
export interface SearchHit {
  /** The page's title. */
  title: string;
  /** Its URL. */
  url: string;
  /** Some of its text. */
  snippet: string;
  /** When it was published, or how long ago, in the provider's words. */
  age?: string;
}

/** What a provider answers with. */
export interface SearchAnswer {
  /** The results, best first. */
  hits: SearchHit[];
  /** What the provider has to say besides. */
  notes: string[];
}

/** Who answers searches: how it is asked, and how its answer is read. */
export interface SearchProvider {
  /** Its name, for people. */
  title: string;
  /** Its base URL, where it has a usual one. */
  endpoint?: string;
  /** Whether it answers nobody without a key. */
  needsKey: boolean;
  /** The request for a search; `base` is without a slash at the end. */
  request(
    search: SearchQuery,
    options: { base: string; key: string },
  ): { url: string; request: FetchRequest };
  /** Reads its JSON. */
  answer(json: unknown): SearchAnswer;
  /** What to do about a status that is its own, in a sentence. */
  advice?: Readonly<Record<number, string>>;
}

/** How many results are asked for. */
export const WANTED = 20;

/** A value of a provider's JSON as an object; an empty one for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

/** A value as a list; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as a text; an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The words with the domains as search engines know them: `site:` and `-site:`. */
export function withSites({ query, allowed, blocked }: SearchQuery): string {
  const only = allowed.map((domain) => `site:${domain}`).join(" OR ");
  const parts = [query, allowed.length > 1 ? `(${only})` : only];
  return [...parts, ...blocked.map((domain) => `-site:${domain}`)].filter((part) => part !== "")
    .join(" ");
}

/** Domains in their one form. Throws for what is none, and when both lists name some. */
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

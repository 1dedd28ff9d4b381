import type { FetchRequest } from "../../../runner/registry/services.ts";
import { bareText, removeMarks } from "../page/html_scan.ts";

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

/** The response of a provider: the results, best first, and its further messages. */
export type SearchAnswer = { hits: SearchHit[]; notes?: string[] };

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

const JSON_HEADERS = { accept: "application/json" };

/** The providers by the values of the setting `search.provider`. */
export const providers: ReadonlyMap<string, SearchProvider> = new Map([
  // A search engine to host oneself, by its JSON API.
  ["searxng", {
    title: "SearXNG",
    needsKey: false,
    request(search, { base, key }) {
      const query = new URLSearchParams({ q: withSites(search), format: "json" });
      // The key is for an instance behind a proxy that asks for one.
      const headers = { ...JSON_HEADERS, ...(key !== "" && { authorization: `Bearer ${key}` }) };
      return { url: `${base}/search?${query}`, request: { headers } };
    },
    answer(json) {
      const { results, unresponsive_engines } = asObject(json);
      const silent = asList(unresponsive_engines)
        .map((each) => asList(each).map(asText).join(": "));
      return {
        hits: hitsOf(results, { snippet: "content", ages: ["publishedDate"], clean: removeMarks }),
        notes: silent.length === 0 ? [] : [`Engines without an answer: ${silent.join("; ")}`],
      };
    },
    advice: {
      403:
        'The instance must allow JSON: "formats: [html, json]" under "search" in its settings.yml',
    },
  }],
  ["brave", {
    title: "Brave",
    endpoint: "https://api.search.brave.com",
    needsKey: true,
    request(search, { base, key }) {
      const query = new URLSearchParams({
        q: withSites(search),
        count: String(RESULT_COUNT),
        text_decorations: "false",
        result_filter: "web",
      });
      const headers = { ...JSON_HEADERS, "x-subscription-token": key };
      return { url: `${base}/res/v1/web/search?${query}`, request: { headers } };
    },
    answer(json) {
      const { results } = asObject(asObject(json)["web"]);
      const ages = ["age", "page_age"];
      return { hits: hitsOf(results, { snippet: "description", ages, clean: bareText }) };
    },
    advice: { 422: "It says so of a key that is not valid, too" },
  }],
  ["tavily", {
    title: "Tavily",
    endpoint: "https://api.tavily.com",
    needsKey: true,
    request({ query, allowed, blocked }, { base, key }) {
      const headers = {
        ...JSON_HEADERS,
        "content-type": "application/json",
        authorization: `Bearer ${key}`,
      };
      const body = JSON.stringify({
        query,
        max_results: RESULT_COUNT,
        ...(allowed.length > 0 && { include_domains: allowed }),
        ...(blocked.length > 0 && { exclude_domains: blocked }),
      });
      return { url: `${base}/search`, request: { method: "POST", headers, body } };
    },
    answer(json) {
      const { results } = asObject(json);
      const ages = ["published_date"];
      return { hits: hitsOf(results, { snippet: "content", ages, clean: removeMarks }) };
    },
    advice: {
      432: "The limit of the key's plan is reached",
      433: "The spending limit is reached",
    },
  }],
]);

/** The query with its domains in the syntax of search engines: `site:` and `-site:`. */
function withSites({ query, allowed, blocked }: SearchQuery): string {
  const only = allowed.map((domain) => `site:${domain}`).join(" OR ");
  const parts = [query, allowed.length > 1 ? `(${only})` : only];
  return [...parts, ...blocked.map((domain) => `-site:${domain}`)].filter((part) => part !== "")
    .join(" ");
}

/** The results in a response; `snippet` and `ages` name their fields, and `clean` removes markup. */
function hitsOf(
  results: unknown,
  { snippet, ages, clean }: { snippet: string; ages: string[]; clean(text: string): string },
): SearchHit[] {
  return asList(results).map(asObject).map((result) => {
    const age = ages.map((name) => asText(result[name])).find((text) => text !== "");
    return {
      title: clean(asText(result["title"])),
      url: asText(result["url"]),
      snippet: clean(asText(result[snippet])),
      ...(age !== undefined && { age }),
    };
  });
}

/** A value as an object; empty for any other value. */
function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

/** A value as a list; empty for any other value. */
function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as a string; empty for any other value. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

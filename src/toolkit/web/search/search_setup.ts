import { type ArgumentProblem, problemFrom, problemIf } from "../../../base/argument_problem.ts";
import { canonicalHost, neededHost } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";
import { endpointUrl, missingSetting, settingText } from "../../provider/provider_settings.ts";
import type { SettingValues } from "../../../runner/registry/services.ts";
import { providers, type SearchProvider, type SearchQuery } from "./search_provider.ts";

/** The search provider of the settings. */
export interface SearchSetup {
  /** The provider. */
  provider: SearchProvider;
  /** Its base URL, without a slash at the end. */
  base: string;
}

/** The search provider of the settings. Throws `unavailable` with advice if a setting is missing. */
export function searchSetup(settings: SettingValues): SearchSetup {
  const name = settings["search.provider"];
  const provider = providers.get(String(name));
  if (provider === undefined) {
    const names = [...providers.keys()].join(", ");
    throw missingSetting("search.provider", {
      problem: `Cannot search the web: no search provider is set (${names})`,
      example: "searxng",
    });
  }
  const endpoint = settingText(settings, "search.endpoint") ?? provider.endpoint;
  const url = endpoint === undefined
    ? `is not set, and ${provider.title} has no usual address`
    : endpointUrl(endpoint);
  if (typeof url === "string") {
    const problem = `Cannot search the web: the setting search.endpoint ${url}`;
    throw missingSetting("search.endpoint", { problem, example: "http://127.0.0.1:8888" });
  }
  return { provider, base: url.href.replace(/\/+$/, "") };
}

/** The `host:port` that a search needs; empty if a setting is missing, which the call reports later. */
export function searchHosts(settings: SettingValues): string[] {
  try {
    return [neededHost(new URL(searchSetup(settings).base))];
  } catch {
    return [];
  }
}

/** The lists of domains of a search. */
interface DomainLists {
  allowed_domains?: readonly string[];
  blocked_domains?: readonly string[];
}

/** The problems of the lists of domains: both have some, or a domain is invalid. */
export function domainProblems(
  { allowed_domains = [], blocked_domains = [] }: DomainLists,
): ArgumentProblem[] {
  const lists = { allowed_domains, blocked_domains };
  return [
    ...problemIf(
      allowed_domains.length > 0 && blocked_domains.length > 0,
      "/blocked_domains",
      "Cannot search with allowed_domains and blocked_domains: give one of them",
    ),
    ...Object.entries(lists).flatMap(([list, domains]) =>
      domains.flatMap((domain, at) => problemFrom(`/${list}/${at}`, () => domainOf(domain)))
    ),
  ];
}

/** Canonical domains. Throws for an invalid domain. */
export function searchDomains(
  { allowed_domains = [], blocked_domains = [] }: DomainLists,
): Pick<SearchQuery, "allowed" | "blocked"> {
  return { allowed: allowed_domains.map(domainOf), blocked: blocked_domains.map(domainOf) };
}

function domainOf(given: string): string {
  try {
    return canonicalHost(given.replace(/^\*\./, ""));
  } catch {
    throw new Error(`Invalid domain ${quote(given)}; give only the domain, such as example.com`);
  }
}

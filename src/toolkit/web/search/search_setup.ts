import { neededHost } from "../../../base/host.ts";
import { endpointUrl, missingSetting, settingText } from "../../provider/provider_settings.ts";
import type { SettingValues } from "../../../runner/registry/services.ts";
import { brave } from "./search_brave.ts";
import type { SearchProvider } from "./search_provider.ts";
import { searxng } from "./search_searxng.ts";
import { tavily } from "./search_tavily.ts";

/** The providers by the values of the setting `search.provider`. */
const providers = new Map<string, SearchProvider>([
  ["searxng", searxng],
  ["brave", brave],
  ["tavily", tavily],
]);

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

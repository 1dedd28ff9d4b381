import { CallError } from "../call_error.ts";
import { neededHost } from "../host.ts";
import { quote } from "../quote.ts";
import type { SettingValues } from "../registry/services.ts";
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

/** Who is asked, and where. */
export interface SearchSetup {
  /** The provider. */
  provider: SearchProvider;
  /** Its base URL, without a slash at the end. */
  base: string;
}

/** What the settings say of searches. Throws `unavailable`, with how to set them. */
export function searchSetup(settings: SettingValues): SearchSetup {
  const name = settings["search.provider"];
  const provider = providers.get(String(name));
  if (provider === undefined) {
    const names = [...providers.keys()].join(", ");
    throw unavailable(`no search provider is set (${names})`, "search.provider", "searxng");
  }
  const endpoint = String(settings["search.endpoint"] ?? provider.endpoint ?? "");
  const isUrl = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol);
  if (!isUrl) {
    const fault = endpoint === ""
      ? `${provider.title} has no usual address, and none is set`
      : `${quote(endpoint)} is no http or https URL`;
    throw unavailable(fault, "search.endpoint", "http://127.0.0.1:8888");
  }
  return { provider, base: endpoint.replace(/\/+$/, "") };
}

/** The `host:port` that a search needs; none while nothing is set, which the call then says. */
export function searchHosts(settings: SettingValues): string[] {
  try {
    return [neededHost(new URL(searchSetup(settings).base))];
  } catch {
    return [];
  }
}

/** The failure of a search that the settings do not allow for. */
export function unavailable(fault: string, setting: string, value: string): CallError {
  const call = JSON.stringify({ setting, value });
  return new CallError(
    "unavailable",
    `Cannot search the web: ${fault}. To set it: toolcall --allow-all Config '${call}'`,
    { setting },
  );
}

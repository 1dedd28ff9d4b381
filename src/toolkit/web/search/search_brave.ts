import { bareText } from "../page/html_scan.ts";
import {
  asList,
  asObject,
  asText,
  RESULT_COUNT,
  type SearchProvider,
  withSites,
} from "./search_provider.ts";

/** The Brave Search API. */
export const brave: SearchProvider = {
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
    return {
      url: `${base}/res/v1/web/search?${query}`,
      request: { headers: { accept: "application/json", "x-subscription-token": key } },
    };
  },
  answer(json) {
    const { web } = asObject(json);
    return {
      hits: asList(asObject(web)["results"]).map(asObject).map((result) => {
        const age = asText(result["age"]) || asText(result["page_age"]);
        return {
          title: bareText(asText(result["title"])),
          url: asText(result["url"]),
          snippet: bareText(asText(result["description"])),
          ...(age !== "" && { age }),
        };
      }),
      notes: [],
    };
  },
  advice: { 422: "It says so of a key that is not valid, too" },
};

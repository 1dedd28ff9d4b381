import { plainText } from "../page/html_scan.ts";
import {
  listOf,
  objectOf,
  type SearchProvider,
  textOf,
  WANTED,
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
      count: String(WANTED),
      text_decorations: "false",
      result_filter: "web",
    });
    return {
      url: `${base}/res/v1/web/search?${query}`,
      request: { headers: { accept: "application/json", "x-subscription-token": key } },
    };
  },
  answer(json) {
    const { web } = objectOf(json);
    return {
      hits: listOf(objectOf(web)["results"]).map(objectOf).map((result) => {
        const age = textOf(result["age"]) || textOf(result["page_age"]);
        return {
          title: plainText(textOf(result["title"])),
          url: textOf(result["url"]),
          snippet: plainText(textOf(result["description"])),
          ...(age !== "" && { age }),
        };
      }),
      notes: [],
    };
  },
  advice: { 422: "It says so of a key that is not valid, too" },
};

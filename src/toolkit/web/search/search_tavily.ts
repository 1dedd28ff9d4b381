import { removeMarks } from "../page/html_scan.ts";
import { asList, asObject, asText, RESULT_COUNT, type SearchProvider } from "./search_provider.ts";

/** The Tavily search API. */
export const tavily: SearchProvider = {
  title: "Tavily",
  endpoint: "https://api.tavily.com",
  needsKey: true,
  request({ query, allowed, blocked }, { base, key }) {
    return {
      url: `${base}/search`,
      request: {
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          authorization: `Bearer ${key}`,
        },
        body: JSON.stringify({
          query,
          max_results: RESULT_COUNT,
          ...(allowed.length > 0 && { include_domains: allowed }),
          ...(blocked.length > 0 && { exclude_domains: blocked }),
        }),
      },
    };
  },
  answer(json) {
    const { results } = asObject(json);
    return {
      hits: asList(results).map(asObject).map(({ title, url, content, published_date }) => ({
        title: removeMarks(asText(title)),
        url: asText(url),
        snippet: removeMarks(asText(content)),
        ...(asText(published_date) !== "" && { age: asText(published_date) }),
      })),
      notes: [],
    };
  },
  advice: {
    432: "The limit of the key's plan is reached",
    433: "The limit of what may be paid for is reached",
  },
};

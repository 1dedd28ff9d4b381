import { removeMarks } from "../page/html_scan.ts";
import { asList, asObject, asText, type SearchProvider, withSites } from "./search_provider.ts";

/** SearXNG, a search engine to host oneself, by its JSON API. */
export const searxng: SearchProvider = {
  title: "SearXNG",
  needsKey: false,
  request(search, { base, key }) {
    const query = new URLSearchParams({ q: withSites(search), format: "json" });
    return {
      url: `${base}/search?${query}`,
      request: {
        headers: {
          accept: "application/json",
          // For an instance behind a proxy that asks for one.
          ...(key !== "" && { authorization: `Bearer ${key}` }),
        },
      },
    };
  },
  answer(json) {
    const { results, unresponsive_engines } = asObject(json);
    const silent = asList(unresponsive_engines).map((each) => asList(each).map(asText).join(": "));
    return {
      hits: asList(results).map(asObject).map(({ title, url, content, publishedDate }) => ({
        title: removeMarks(asText(title)),
        url: asText(url),
        snippet: removeMarks(asText(content)),
        ...(asText(publishedDate) !== "" && { age: asText(publishedDate) }),
      })),
      notes: silent.length === 0 ? [] : [`Engines that did not answer: ${silent.join("; ")}`],
    };
  },
  advice: {
    403:
      'The instance has to allow JSON: "formats: [html, json]" under "search" in its settings.yml',
  },
};

import { withoutMarks } from "../page/html_scan.ts";
import { listOf, objectOf, type SearchProvider, textOf, withSites } from "./search_provider.ts";

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
    const { results, unresponsive_engines } = objectOf(json);
    const silent = listOf(unresponsive_engines).map((each) => listOf(each).map(textOf).join(": "));
    return {
      hits: listOf(results).map(objectOf).map(({ title, url, content, publishedDate }) => ({
        title: withoutMarks(textOf(title)),
        url: textOf(url),
        snippet: withoutMarks(textOf(content)),
        ...(textOf(publishedDate) !== "" && { age: textOf(publishedDate) }),
      })),
      notes: silent.length === 0 ? [] : [`Engines that did not answer: ${silent.join("; ")}`],
    };
  },
  advice: {
    403:
      'The instance has to allow JSON: "formats: [html, json]" under "search" in its settings.yml',
  },
};

import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { pageHost, pageUrl } from "../src/toolkit/web/fetch/page_url.ts";

export default defineTool({
  name: "rss_feed",
  title: "Read a feed",
  description:
    "Lists the items of a feed, newest first: RSS (0.9 to 2.0), Atom or JSON Feed. Shows title, date, author, " +
    "address and the first 500 characters of the summary as plain text. With since, lists only items " +
    "from then on. Items without a date come last, or are omitted with since. http becomes https for " +
    "public names. Redirects to another host are reported, not followed. Reads at most 10 MB and 10,000 items, " +
    "in 30 seconds. If the URL is a web page, the error lists the feeds that it links to.",
  category: "research",
  sideEffect: "network",
  idempotent: true,
  optionality: "optional",
  usageHint: "To see what a blog, a project or a news site has published lately",
  inputSchema: {
    type: "object",
    properties: {
      url: {
        type: "string",
        description: "The feed's http or https URL, in ASCII. Percent-encode other characters.",
        format: "uri",
      },
      since: {
        type: "string",
        description:
          "The oldest date to list, such as 2026-01-31 or 2026-01-31T08:00:00+01:00. The default " +
          "time zone is UTC.",
        minLength: 4,
      },
      limit: {
        type: "integer",
        description: "How many items to list at most.",
        minimum: 1,
        maximum: 200,
        default: 20,
      },
    },
    required: ["url"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "The newest item of a feed",
      input: { url: "http://$SERVER/feed.xml", limit: 1 },
      expect: "1. Low water\n   2026-03-01 09:30 UTC, Ada Rivers",
    },
    {
      description: "Items since a day",
      input: { url: "http://$SERVER/feed.xml", since: "2026-02-15" },
      expect: "2 items in it, 1 since 2026-02-15 00:00 UTC",
    },
    {
      description: "A web page is not a feed",
      input: { url: "http://$SERVER/page.html" },
      expect: "it begins with <html>, and RSS and Atom do not",
      isError: true,
    },
  ],
  rules: ({ url }) => problemFrom("/url", () => pageUrl(url)),
  permissions: {
    kinds: ["net"],
    needs: ({ url }) => [{ name: "net", host: pageHost(url) }],
  },
  timeoutMs: 30_000,
  maxRetries: 2,
  async run({ url, since, limit }, ctx) {
    const { feedText } = await import("../src/toolkit/web/feed/feed.ts");
    return await feedText(ctx, { url: pageUrl(url), since, limit });
  },
});

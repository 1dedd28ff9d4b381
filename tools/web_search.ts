import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import {
  domainProblems,
  searchDomains,
  searchHosts,
} from "../src/toolkit/web/search/search_setup.ts";

export default defineTool({
  name: "WebSearch",
  aliases: ["web_search"],
  title: "Search the web",
  description:
    "Searches the web with the configured provider (SearXNG, Brave or Tavily). Returns up to 20 results " +
    "with title, URL, an excerpt and, when known, the date. Results can be limited to some domains, or some " +
    "domains excluded. Read a page with WebFetch.",
  category: "research",
  sideEffect: "network",
  idempotent: true,
  optionality: "conditional",
  usageHint: "To find pages on something, above all on what is newer than the model",
  uses: ["settings"],
  requires: ["search provider"],
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "The search terms.", minLength: 1, maxLength: 1000 },
      allowed_domains: {
        type: "array",
        items: { type: "string", minLength: 1 },
        description:
          "Return only results of these domains and their subdomains, such as example.com.",
        maxItems: 50,
      },
      blocked_domains: {
        type: "array",
        items: { type: "string", minLength: 1 },
        description: "Exclude results of these domains. Not together with allowed_domains.",
        maxItems: 50,
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Without a provider, the error tells how to set one",
      input: { query: "history of the semicolon" },
      expect: "search.provider",
      isError: true,
    },
    {
      description: "Domains are allowed or blocked, not both",
      input: {
        query: "history of the semicolon",
        allowed_domains: ["example.com"],
        blocked_domains: ["example.org"],
      },
      expect: "give one of them",
      isError: true,
    },
  ],
  rules: (args) => domainProblems(args),
  permissions: {
    kinds: ["net"],
    needs: (_args, _cwd, settings) => searchHosts(settings).map((host) => ({ name: "net", host })),
  },
  timeoutMs: 30_000,
  maxRetries: 2,
  async run(args, ctx) {
    const { searchWeb } = await import("../src/toolkit/web/search/search_web.ts");
    const startedAt = performance.now();
    const { query } = args;
    const { text, shown } = await searchWeb(ctx, { query, ...searchDomains(args) });
    return withDataIfWanted(ctx, text, () => ({
      query,
      results: [{
        tool_use_id: "",
        content: shown.map(({ title, url, snippet }) => ({ title, url, snippet })),
      }],
      durationSeconds: (performance.now() - startedAt) / 1000,
      searchCount: 1,
    }));
  },
});

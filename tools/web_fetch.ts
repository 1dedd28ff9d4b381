import { problemFrom } from "../src/base/argument_problem.ts";
import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { pageNeeds } from "../src/toolkit/web/fetch/page_needs.ts";
import { pageUrl } from "../src/toolkit/web/fetch/page_url.ts";

export default defineTool({
  name: "WebFetch",
  title: "Fetch a web page",
  description:
    "Gets a web page to answer a prompt about it. HTML becomes Markdown of its main part, a PDF becomes " +
    "the text of its pages, and text, JSON and XML stay as they are. A configured model answers the " +
    "prompt. Without a model, the result is the text itself. One call reads at most 100,000 characters, and the " +
    "result names the offset to read on from. http becomes https for public names without a port. " +
    "Redirects to another host are reported, not followed. Pages are cached for 15 minutes. Limits: " +
    "10 MB, 30 seconds.",
  category: "research",
  sideEffect: "network",
  idempotent: true,
  optionality: "optional",
  usageHint: "To read a page whose address is known; WebSearch finds addresses",
  uses: ["store", "settings"],
  inputSchema: {
    type: "object",
    properties: {
      url: {
        type: "string",
        description: "The page's http or https URL, in ASCII. Percent-encode other characters.",
        format: "uri",
      },
      prompt: { type: "string", description: "The question about the page.", minLength: 1 },
      offset: {
        type: "integer",
        description: "The character of the page's text to start at, as the last result says.",
        minimum: 0,
        default: 0,
      },
    },
    required: ["url", "prompt"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Read a page",
      input: { url: "http://$SERVER/page.html", prompt: "What does it promise?" },
      expect: "## What it promises",
    },
    {
      description: "Read JSON",
      input: { url: "http://$SERVER/config.json", prompt: "Which port is set?" },
      expect: '"port": 8080',
    },
    {
      description: "A page that is not there is an error with the status",
      input: { url: "http://$SERVER/missing", prompt: "What is it?" },
      expect: "404",
      isError: true,
    },
    {
      description: "Only the web is read",
      input: { url: "file:///etc/hosts", prompt: "Which hosts are there?" },
      expect: "only http and https URLs",
      isError: true,
    },
  ],
  rules: ({ url }) => problemFrom("/url", () => pageUrl(url)),
  permissions: {
    kinds: ["net"],
    needs: ({ url }, _cwd, settings) => pageNeeds(url, settings),
  },
  // Fetching the page may take 30 seconds of this.
  timeoutMs: 120_000,
  maxRetries: 2,
  async run({ url, prompt, offset }, ctx) {
    const { webPage } = await import("../src/toolkit/web/fetch/web_page.ts");
    const startedAt = performance.now();
    const asked = { url: pageUrl(url), prompt, offset };
    const { text: result, code, ...page } = await webPage(ctx, asked);
    return withDataIfWanted(ctx, result, () => {
      const durationMs = Math.round(performance.now() - startedAt);
      return { ...page, code, codeText: code === 200 ? "OK" : "", result, durationMs };
    });
  },
});

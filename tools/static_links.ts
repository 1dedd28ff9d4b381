import { problemFrom, problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkPath } from "../src/toolkit/files/check_path.ts";
import { pageHost } from "../src/toolkit/web/fetch/page_url.ts";

export default defineTool({
  name: "static_links",
  title: "Check links",
  description:
    "Checks the links in Markdown and HTML files: whether their target files and anchors exist (ids, names, and headings as GitHub names them). path is a file or directory; hidden and ignored files are skipped. Links that begin with / start from path. Broken links are listed as file:line: link: reason. Reads at most 5,000 files of up to 1 MiB, in 20 seconds. Web links are listed; pass them as urls in a second call to check them by HEAD or GET, without following redirects.",
  category: "publish",
  sideEffect: "network",
  idempotent: true,
  optionality: "optional",
  usageHint: "Before publishing documents, or after moving or renaming files",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "The file or directory. Default: the working directory, if urls is not given.",
        minLength: 1,
      },
      urls: {
        type: "array",
        description: "Web addresses to check instead of files.",
        items: { type: "string", description: "An http or https URL.", minLength: 1 },
        minItems: 1,
        maxItems: 50,
      },
      limit: {
        type: "integer",
        description: "The maximum number of broken links, and of web addresses, to show.",
        minimum: 1,
        maximum: 1000,
        default: 100,
      },
      fail_on_broken: {
        type: "boolean",
        description: "Whether the call fails if a link is broken, as a check in a script does.",
        default: false,
      },
    },
    additionalProperties: false,
  },
  examples: [
    {
      description: "The links of one document",
      input: { path: "$ROOT/links.md" },
      flags: ["--allow-read=$ROOT"],
      expect: 'links.md:5: "missing.md": no such file',
    },
    {
      description: "The links of a directory",
      input: { path: "$ROOT" },
      expect: '"notes.md#nowhere": no anchor "nowhere" in that file',
    },
    {
      description: "Addresses on the web",
      input: { urls: ["http://$SERVER/page.html", "http://$SERVER/gone.html"] },
      expect: '/gone.html": 404, broken',
    },
  ],
  rules: ({ path, urls }) => [
    ...problemIf(
      path !== undefined && urls !== undefined,
      "/urls",
      "Cannot check files and the web in one call: give path or urls",
    ),
    ...problemFrom("/path", () => checkPath(path ?? ".")),
    ...(urls ?? []).flatMap((url, at) => problemFrom(`/urls/${at}`, () => pageHost(url))),
  ],
  permissions: {
    kinds: ["read", "net"],
    needs({ path, urls }) {
      if (urls === undefined) return [{ name: "read", path: checkPath(path ?? ".") }];
      return [...new Set(urls.map(pageHost))].map((host) => ({ name: "net", host }));
    },
  },
  timeoutMs: ({ urls }) => urls === undefined ? 30_000 : 120_000,
  async run({ path = ".", urls, limit, fail_on_broken: isCheck }, ctx) {
    const { text, broken } = urls === undefined
      ? await (await import("../src/toolkit/links/file_links.ts"))
        .findBrokenLinks(ctx, { path, limit })
      : await (await import("../src/toolkit/links/web_links.ts")).checkWebLinks(ctx, urls);
    if (isCheck && broken > 0) throw new Error(text);
    return text;
  },
});

import GithubSlugger from "github-slugger";
import markdownIt from "markdown-it";
import { addHtmlLinks, type DocumentLinks } from "./html_links.ts";

const markdown = markdownIt({ html: true });
// Which addresses are sound is what is to be found out.
markdown.validateLink = () => true;
markdown.normalizeLink = (url: string) => url;

/** Adds what a Markdown document holds; its headings are anchors under the names of GitHub. */
export function addMarkdownLinks(text: string, found: DocumentLinks): void {
  const slugger = new GithubSlugger();
  const front = /^---\r?\n[\s\S]*?\n---(?=\r?\n|$)/.exec(text)?.[0] ?? "";
  // The lines of front matter are kept as empty ones, so that those after it count right.
  const body = front.replace(/[^\n]/g, "") + text.slice(front.length);
  let inHeading = false;
  for (const token of markdown.parse(body, {})) {
    const first = (token.map?.[0] ?? 0) + 1;
    if (token.type === "heading_open") inHeading = true;
    if (token.type === "html_block") addHtmlLinks(token.content, found, first);
    if (token.type !== "inline") continue;
    let [line, heading] = [first, ""];
    for (const child of token.children ?? []) {
      if (child.type === "softbreak" || child.type === "hardbreak") line++;
      if (child.type === "html_inline") addHtmlLinks(child.content, found, line);
      if (child.type === "text" || child.type === "code_inline") heading += child.content;
      const target = child.attrGet("href") ?? child.attrGet("src");
      if (target !== null) found.links.push({ target: String(target), line });
    }
    if (inHeading) found.anchors.add(slugger.slug(heading));
    inHeading = false;
  }
}

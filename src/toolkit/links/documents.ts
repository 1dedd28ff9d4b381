import GithubSlugger from "github-slugger";
import markdownIt from "markdown-it";
import { tryReadText } from "../../base/fs/system_file.ts";
import { Parser } from "htmlparser2";

/** The largest document, in bytes. */
export const MAX_BYTES = 1024 * 1024;

/** Returns whether a file's name is that of a document with links: Markdown or HTML. */
export function isDocument(path: string): boolean {
  return /\.(md|markdown|html?|xhtml)$/i.test(path);
}

/** The documents of a call, each read once. */
export class Documents {
  #read = new Map<string, DocumentLinks | undefined>();

  /** The links of a document; `undefined` if it is too large or cannot be read. */
  at(path: string): DocumentLinks | undefined {
    if (!this.#read.has(path)) this.#read.set(path, read(path));
    return this.#read.get(path);
  }
}

function read(path: string): DocumentLinks | undefined {
  const text = tryReadText(path, MAX_BYTES);
  if (text === undefined) return undefined;
  const found: DocumentLinks = { links: [], anchors: new Set() };
  if (/\.(md|markdown)$/i.test(path)) addMarkdownLinks(text, found);
  else addHtmlLinks(text, found);
  return found;
}

/** The links and anchors of a document. */
interface DocumentLinks {
  /** Its links in order, with their line numbers from 1. */
  links: { target: string; line: number }[];
  /** The names that a fragment can refer to. */
  anchors: Set<string>;
}

/** The attributes with URLs, by element. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  area: ["href"],
  link: ["href"],
  img: ["src"],
  script: ["src"],
  iframe: ["src"],
  source: ["src"],
  video: ["src", "poster"],
  audio: ["src"],
  embed: ["src"],
  object: ["data"],
};

/** Adds the links and anchors of HTML that begins on line `firstLine`. */
function addHtmlLinks(html: string, found: DocumentLinks, firstLine = 1): void {
  let [line, counted] = [firstLine, 0];
  const parser = new Parser({
    onopentag(name, attributes) {
      for (; counted < parser.startIndex; counted++) if (html[counted] === "\n") line++;
      const { id, name: named } = attributes;
      if (id !== undefined) found.anchors.add(id);
      if (name === "a" && named !== undefined) found.anchors.add(named);
      for (const attribute of Object.hasOwn(ADDRESSES, name) ? ADDRESSES[name]! : []) {
        const target = attributes[attribute];
        if (target !== undefined) found.links.push({ target: target.trim(), line });
      }
    },
  });
  parser.end(html);
}

const markdown = markdownIt({ html: true });
// Keep all URLs, because finding the broken ones is the task.
markdown.validateLink = () => true;
markdown.normalizeLink = (url: string) => url;

/** Adds the links and anchors of Markdown; headings are anchors with GitHub's names. */
function addMarkdownLinks(text: string, found: DocumentLinks): void {
  const slugger = new GithubSlugger();
  const front = /^---\r?\n[\s\S]*?\n---(?=\r?\n|$)/.exec(text)?.[0] ?? "";
  // Front matter becomes empty lines, so that the line numbers stay right.
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

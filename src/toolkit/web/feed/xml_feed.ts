import { Parser } from "htmlparser2";
import { oneLine } from "../../../base/text/one_line.ts";
import { quote } from "../../../base/text/quote.ts";
import {
  escapeHtml,
  type Feed,
  type FeedItem,
  type FieldTexts,
  MAX_ITEMS,
  MAX_TEXT,
  resolveLink,
  toFeedItem,
} from "./feed_item.ts";

/**
 * Reads a feed of RSS 0.9 to 2.0 or Atom from parser events. It builds no tree and ignores document
 * type declarations, so that entities cannot expand. Throws for an invalid feed.
 */
export function readXmlFeed(text: string, url: string): Feed {
  const scopes: ReadonlyMap<string, string>[] = [new Map()];
  const head: FieldTexts = new Map();
  const items: FeedItem[] = [];
  const path: string[] = [];
  let [root, kind, isFull] = ["", "", false];
  let item: FieldTexts | undefined;
  let field: { name: string; depth: number; text: string; form: string } | undefined;
  const keep = (name: string, value: string) => {
    const into = item ?? head;
    if (value.trim() !== "" && !into.has(name)) into.set(name, value);
  };
  const parser = new Parser({
    onopentag(tag, attributes) {
      const name = nameOf(tag, attributes, scopes);
      path.push(name);
      if (root === "") [root, kind] = [name, kindOf(name, attributes)];
      if (kind === "") return parser.pause();
      if (field !== undefined) {
        if (field.form === "xhtml") field.text += `<${tag.slice(tag.indexOf(":") + 1)}>`;
        return;
      }
      if (name === "item" || name === "atom:entry") {
        isFull = items.length >= MAX_ITEMS;
        if (isFull) return parser.pause();
        item = new Map();
      } else if (name === "atom:link") {
        const rel = attributes["rel"] ?? "alternate";
        if (rel === "alternate") keep("link", attributes["href"] ?? "");
      } else if (isField(name, path)) {
        field = { name, depth: path.length, text: "", form: formOf(name, attributes) };
      }
    },
    ontext(text) {
      if (field === undefined || field.text.length >= MAX_TEXT) return;
      field.text += field.form === "html" ? text : escapeHtml(text);
    },
    onclosetag(tag) {
      const name = path.at(-1);
      if (field?.depth === path.length) {
        keep(FIELDS.get(field.name)!, field.text.slice(0, MAX_TEXT));
        field = undefined;
      } else if (field?.form === "xhtml") {
        field.text += `</${tag.slice(tag.indexOf(":") + 1)}>`;
      } else if (item !== undefined && (name === "item" || name === "atom:entry")) {
        items.push(toFeedItem(item, url));
        item = undefined;
      }
      path.pop();
      scopes.pop();
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.write(text.replace(/^\s+/, ""));
  if (kind !== "" && !isFull) parser.end();
  if (kind === "") throw noFeed(text, { url, root });
  const { title, link } = toFeedItem(head, url);
  return { kind, title, link, items, isFull };
}

/** The field for each element of an item. If several elements give a field, the first one counts. */
const FIELDS = new Map([
  ...["title", "atom:title", "dc:title"].map((name) => [name, "title"] as const),
  ...["link"].map((name) => [name, "link"] as const),
  ...["guid", "atom:id"].map((name) => [name, "id"] as const),
  ...["pubDate", "atom:published", "dc:date"].map((name) => [name, "date"] as const),
  ...["atom:updated", "lastBuildDate"].map((name) => [name, "updated"] as const),
  ...["author", "dc:creator", "atom:name"].map((name) => [name, "author"] as const),
  ...["description", "atom:summary"].map((name) => [name, "summary"] as const),
  ...["content:encoded", "atom:content"].map((name) => [name, "content"] as const),
]);

/** Returns whether an element is a field of its feed or item: a channel's image has a title too. */
function isField(name: string, path: readonly string[]): boolean {
  const parent = path.at(-2) ?? "";
  const inAuthor = name === "atom:name" && parent === "atom:author";
  if (inAuthor) return path.at(-3) === "atom:entry";
  const holders = ["channel", "item", "atom:feed", "atom:entry"];
  return FIELDS.has(name) && name !== "atom:name" && holders.includes(parent);
}

/** The format of a field: Atom names it, RSS writes HTML as text. */
function formOf(name: string, { type }: Record<string, string>): string {
  return name.startsWith("atom:") ? type ?? "text" : "html";
}

function kindOf(root: string, attributes: Record<string, string>): string {
  if (root === "rss") return `RSS ${oneLine(attributes["version"] ?? "", 10)}`.trim();
  if (root === "rdf:RDF") return "RSS 1.0";
  return root === "atom:feed" ? "Atom" : "";
}

function noFeed(text: string, { url, root }: { url: string; root: string }): Error {
  const why = root === "" ? "it contains no element" : `it begins with <${oneLine(root, 50)}>`;
  const links = [...text.slice(0, 200_000).matchAll(/<link\s[^>]{1,2000}>/gi)].map(([tag]) => tag);
  const feeds = links.filter((tag) =>
    /type\s*=\s*["']?application\/(?:(?:rss|atom)\+xml|feed\+json)/i.test(tag)
  )
    .flatMap((tag) => /href\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).join("") ?? [])
    .map((href) => resolveLink(href.replaceAll("&amp;", "&"), url)).slice(0, 5);
  const named = feeds.map((feed) => quote(feed)).join(", ");
  const hint = feeds.length === 0 ? "" : `; it names ${named}`;
  return new Error(
    `Cannot read ${quote(url)} as a feed: ${why}, and RSS and Atom do not${hint}`,
    { cause: { url, feeds } },
  );
}

const NAMESPACES = new Map([
  ["http://www.w3.org/2005/Atom", "atom:"],
  ["http://purl.org/atom/ns#", "atom:"],
  ["http://purl.org/rss/1.0/", ""],
  ["http://my.netscape.com/rdf/simple/0.9/", ""],
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"],
  ["http://purl.org/dc/elements/1.1/", "dc:"],
  ["http://purl.org/rss/1.0/modules/content/", "content:"],
]);

/** The deepest nesting of elements, and the most declared prefixes. */
const [MAX_DEEP, MAX_PREFIXES] = [1000, 200];

/**
 * The name of an element with this tag; `?:` and its local name in an unknown namespace. Adds the
 * prefixes that it declares to the `scopes` of the elements around it. Throws for elements nested more
 * than a thousand deep.
 */
function nameOf(
  tag: string,
  attributes: Record<string, string>,
  scopes: ReadonlyMap<string, string>[],
): string {
  if (scopes.length > MAX_DEEP) {
    throw new Error(`Cannot read the feed: its elements are nested more than ${MAX_DEEP} deep`);
  }
  const scope = declared(scopes.at(-1)!, attributes);
  scopes.push(scope);
  const colon = tag.indexOf(":");
  const [prefix, name] = colon < 0 ? ["", tag] : [tag.slice(0, colon), tag.slice(colon + 1)];
  const uri = scope.get(prefix);
  if (uri === undefined) return prefix === "" ? name : tag;
  return `${NAMESPACES.get(uri) ?? "?:"}${name}`;
}

function declared(
  outer: ReadonlyMap<string, string>,
  attributes: Record<string, string>,
): ReadonlyMap<string, string> {
  let scope: Map<string, string> | undefined;
  for (const [name, uri] of Object.entries(attributes)) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    scope ??= new Map(outer);
    if (scope.size < MAX_PREFIXES) scope.set(name.slice(6), uri);
  }
  return scope ?? outer;
}

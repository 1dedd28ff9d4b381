import { Parser } from "htmlparser2";
import { oneLine } from "../../../base/text/one_line.ts";
import { quote } from "../../../base/text/quote.ts";
import { documentScope, type ElementScope, elementScope } from "./element_scope.ts";
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

/** The deepest nesting of elements. */
const MAX_DEEP = 1000;

/** An open element whose text is a field of its feed or item. */
interface Field extends Pick<ElementScope, "name" | "base"> {
  /** The number of elements that are open in it, with the document. */
  depth: number;
  /** Its text so far, as HTML. */
  text: string;
  /** The format of its text. */
  form: "text" | "html" | "xhtml" | "base64";
}

/**
 * Reads a feed of RSS 0.9 to 2.0, Atom or CDF from parser events. It builds no tree and ignores document
 * type declarations, so that entities cannot expand. Throws for an invalid feed.
 */
export function readXmlFeed(text: string, url: string): Feed {
  const open = [documentScope(url)];
  const head: FieldTexts = new Map();
  const items: FeedItem[] = [];
  let [root, kind, isFull] = ["", "", false];
  let item: FieldTexts | undefined;
  let field: Field | undefined;
  const keep = (name: string, value: string) => {
    const into = item ?? head;
    if (value.trim() !== "" && !into.has(name)) into.set(name, value);
  };
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (open.length > MAX_DEEP) throw tooDeep();
      const element = elementScope(tag, attributes, open.at(-1)!);
      open.push(element);
      const { name, base } = element;
      if (root === "") [root, kind] = [name, kindOf(name, attributes)];
      if (kind === "") return parser.pause();
      const takeAttributes = () => {
        if (kind !== "CDF") return;
        for (const [attribute, value] of Object.entries(attributes)) {
          const kept = CDF_ATTRIBUTES.get(attribute.toLowerCase());
          if (kept !== undefined) keep(kept, kept === "link" ? resolveLink(value, base) : value);
        }
      };
      if (field !== undefined) {
        if (field.form === "xhtml") field.text += `<${tag.slice(tag.indexOf(":") + 1)}>`;
        return;
      }
      if (ITEMS.has(name)) {
        isFull = items.length >= MAX_ITEMS;
        if (isFull) return parser.pause();
        item = new Map();
        takeAttributes();
      } else if (open.length === 2) {
        takeAttributes();
      } else if (isField(open)) {
        const isLink = FIELDS.get(name) === "link";
        if (isLink && (attributes["rel"] ?? "alternate") !== "alternate") return;
        if (isLink && attributes["href"]) {
          return keep("link", resolveLink(attributes["href"], base));
        }
        field = { name, base, depth: open.length, text: "", form: formOf(name, attributes) };
      }
    },
    ontext(text) {
      if (field === undefined || field.text.length >= MAX_TEXT) return;
      field.text += ["html", "base64"].includes(field.form) ? text : escapeHtml(text);
    },
    onclosetag(tag) {
      const { name } = open.pop()!;
      if (field !== undefined && field.depth > open.length) {
        const kept = FIELDS.get(field.name)!;
        const text = field.form === "base64" ? fromBase64(field.text) : field.text;
        const value = text.slice(0, MAX_TEXT);
        keep(kept, kept === "link" ? resolveLink(value, field.base) : value);
        field = undefined;
      } else if (field?.form === "xhtml") {
        field.text += `</${tag.slice(tag.indexOf(":") + 1)}>`;
      } else if (item !== undefined && ITEMS.has(name)) {
        items.push(toFeedItem(item, url));
        item = undefined;
      }
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.write(text.replace(/^\s+/, ""));
  if (kind !== "" && !isFull) parser.end();
  if (kind === "") throw noFeed(text, { url, root });
  const { title, link } = toFeedItem(head, url);
  return { kind, title, link, items, isFull };
}

/** The elements that are items. Some feeds of Atom name theirs as RSS does. */
const ITEMS = new Set(["item", "atom:entry", "atom:item"]);

/**
 * The field for each element of an item. If several elements give a field, the first one counts. Feeds of
 * RSS have names of Atom too, without its namespace.
 */
const FIELDS = new Map([
  ...["title", "atom:title", "dc:title"].map((name) => [name, "title"] as const),
  ...["link", "atom:link"].map((name) => [name, "link"] as const),
  ...["guid", "id", "atom:id"].map((name) => [name, "id"] as const),
  ...["pubdate", "published", "atom:published", "atom:issued", "dc:date", "dcterms:issued"]
    .map((name) => [name, "date"] as const),
  ...["updated", "atom:updated", "atom:modified", "dcterms:modified", "lastbuilddate"]
    .map((name) => [name, "updated"] as const),
  ...["atom:created", "dcterms:created"].map((name) => [name, "created"] as const),
  ...["author", "dc:creator", "dc:author", "itunes:author", "atom:name"]
    .map((name) => [name, "author"] as const),
  ...["description", "abstract", "summary", "atom:summary"].map((name) =>
    [name, "summary"] as const
  ),
  ...["content:encoded", "atom:content", "xhtml:body", "body", "fullitem"]
    .map((name) => [name, "content"] as const),
  ["media:title", "mediaTitle"],
  ...["dc:description", "itunes:summary", "media:description"].map((name) =>
    [name, "content"] as const
  ),
]);

/** The fields that CDF has as attributes of a channel or item. */
const CDF_ATTRIBUTES = new Map([["href", "link"], ["lastmod", "updated"]]);

/** Returns whether an element is a field of its feed or item: a channel's image has a title too. */
function isField(open: readonly ElementScope[]): boolean {
  const [name, parent, outer] = [-1, -2, -3].map((at) => open.at(at)?.name ?? "");
  const inAuthor = name === "atom:name" && parent === "atom:author";
  if (inAuthor) return outer === "atom:entry";
  const holds = ITEMS.has(parent!) || ["channel", "atom:feed", "media:group"].includes(parent!);
  return FIELDS.has(name!) && name !== "atom:name" && holds;
}

function tooDeep(): Error {
  return new Error(`Cannot read the feed: its elements are nested more than ${MAX_DEEP} deep`);
}

/**
 * The format of a field: Atom names it, RSS writes HTML as text. Atom 0.3 names it by the media type
 * and a mode.
 */
function formOf(name: string, { type = "text", mode }: Record<string, string>): Field["form"] {
  if (name === "xhtml:body" || name === "body") return "xhtml";
  if (!name.startsWith("atom:")) return "html";
  if (mode === "base64" || type === "application/octet-stream") return "base64";
  if (/\bxhtml\b/.test(type) || (mode === "xml" && /html/.test(type))) return "xhtml";
  return /^(?:text\/)?html$/.test(type) ? "html" : "text";
}

/** The text of Base64; empty if it is no text. */
function fromBase64(text: string): string {
  try {
    const bytes = Uint8Array.fromBase64(text.replaceAll(/\s/g, ""));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}

function kindOf(root: string, attributes: Record<string, string>): string {
  if (root === "rss") return `RSS ${oneLine(attributes["version"] ?? "", 10)}`.trim();
  if (root === "rdf:rdf") return "RSS 1.0";
  if (root === "channel") return "CDF";
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

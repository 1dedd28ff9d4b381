import { Parser } from "htmlparser2";
import { quote } from "../../../base/text/quote.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { momentOf } from "./feed_dates.ts";
import { feedNames } from "./feed_names.ts";
import { plainText } from "./plain_html.ts";

/** How many items of a feed are read. */
export const MAX_ITEMS = 10_000;

/** How many characters are kept of a title, a link or a name, and of a summary. */
const [MAX_SHORT, MAX_SUMMARY] = [300, 500];

/** How much of an element is looked at for them, in characters. */
const MAX_TEXT = 20_000;

/** One item, every text of it on one line and safe to show; empty where there is none. */
export interface FeedItem {
  /** Its title. */
  title: string;
  /** Its address. */
  link: string;
  /** When it was published, in milliseconds since 1970. */
  date: number | undefined;
  /** The same in the feed's own words. */
  said: string;
  /** Who wrote it. */
  author: string;
  /** The start of what it says. */
  summary: string;
}

/** A feed that was read. */
export interface Feed {
  /** `RSS 2.0`, `RSS 1.0`, `Atom`, `JSON Feed 1.1`. */
  kind: string;
  /** Its title. */
  title: string;
  /** The address of its site. */
  link: string;
  /** Its items in the feed's own order. */
  items: FeedItem[];
  /** Whether there were more than are read. */
  isFull: boolean;
}

/** The texts of a feed or of an item as HTML, by what they are. */
export type Texts = Map<string, string>;

/**
 * Reads a feed of RSS 0.9 to 2.0 or Atom, from events: no tree is built and no declaration of a
 * document type is looked at, so no entity grows. Throws for what is no feed.
 */
export function readFeed(text: string, url: string): Feed {
  const names = feedNames();
  const head: Texts = new Map();
  const items: FeedItem[] = [];
  const path: string[] = [];
  let [root, kind, isFull] = ["", "", false];
  let item: Texts | undefined;
  let field: { name: string; depth: number; text: string; form: string } | undefined;
  const keep = (name: string, value: string) => {
    const into = item ?? head;
    if (value.trim() !== "" && !into.has(name)) into.set(name, value);
  };
  const parser = new Parser({
    onopentag(tag, attributes) {
      const name = names.open(tag, attributes);
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
      field.text += field.form === "html" ? text : escaped(text);
    },
    onclosetag(tag) {
      const name = path.at(-1);
      if (field?.depth === path.length) {
        keep(FIELDS.get(field.name)!, field.text.slice(0, MAX_TEXT));
        field = undefined;
      } else if (field?.form === "xhtml") {
        field.text += `</${tag.slice(tag.indexOf(":") + 1)}>`;
      } else if (item !== undefined && (name === "item" || name === "atom:entry")) {
        items.push(itemOf(item, url));
        item = undefined;
      }
      path.pop();
      names.close();
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.write(text.replace(/^\s+/, ""));
  if (kind !== "" && !isFull) parser.end();
  if (kind === "") throw noFeed(text, { url, root });
  const { title, link } = itemOf(head, url);
  return { kind, title, link, items, isFull };
}

/** What the elements of an item say, by their names: of two with the same meaning the first. */
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

/** Whether an element is a field of what holds it: an image of a channel has a title too. */
function isField(name: string, path: readonly string[]): boolean {
  const parent = path.at(-2) ?? "";
  const inAuthor = name === "atom:name" && parent === "atom:author";
  if (inAuthor) return path.at(-3) === "atom:entry";
  const holders = ["channel", "item", "atom:feed", "atom:entry"];
  return FIELDS.has(name) && name !== "atom:name" && holders.includes(parent);
}

/** How a field is written: Atom says it, RSS writes HTML as text. */
function formOf(name: string, { type }: Record<string, string>): string {
  return name.startsWith("atom:") ? type ?? "text" : "html";
}

/** A text as HTML that says the same. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function kindOf(root: string, attributes: Record<string, string>): string {
  if (root === "rss") return `RSS ${line(attributes["version"] ?? "", 10)}`.trim();
  if (root === "rdf:RDF") return "RSS 1.0";
  return root === "atom:feed" ? "Atom" : "";
}

/** An item as its feed, which is at `base`, describes it. */
export function itemOf(texts: Texts, base: string): FeedItem {
  const of = (name: string) => texts.get(name) ?? "";
  const id = /^https?:/.test(of("id").trim()) ? of("id") : "";
  const said = of("date") || of("updated");
  return {
    title: line(plainText(of("title")), MAX_SHORT),
    link: addressOf(of("link") || id, base),
    date: momentOf(said),
    said: line(said, 100),
    author: line(plainText(of("author")), MAX_SHORT),
    summary: line(plainText(of("summary") || of("content")), MAX_SUMMARY),
  };
}

function addressOf(link: string, base: string): string {
  const given = link.trim();
  return given === "" ? "" : escapeControls(URL.parse(given, base)?.href ?? given).slice(0, 2000);
}

/** A text on one line, cut where it is too long. */
function line(text: string, most: number): string {
  const flat = escapeControls(text.replace(/\s+/g, " ").trim());
  return flat.length > most ? `${flat.slice(0, most).trimEnd()}…` : flat;
}

function noFeed(text: string, { url, root }: { url: string; root: string }): Error {
  const why = root === "" ? "it holds no element" : `it begins with <${line(root, 50)}>`;
  const links = [...text.slice(0, 200_000).matchAll(/<link\s[^>]{1,2000}>/gi)].map(([tag]) => tag);
  const feeds = links.filter((tag) =>
    /type\s*=\s*["']?application\/(?:(?:rss|atom)\+xml|feed\+json)/i.test(tag)
  )
    .flatMap((tag) => /href\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).join("") ?? [])
    .map((href) => addressOf(href.replaceAll("&amp;", "&"), url)).slice(0, 5);
  const hint = feeds.length === 0
    ? ""
    : `; it names ${feeds.map((feed) => quote(feed)).join(", ")}`;
  return new Error(
    `Cannot read ${quote(url)} as a feed: ${why}, and RSS and Atom do not${hint}`,
    { cause: { url, feeds } },
  );
}

import { Parser } from "htmlparser2";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { oneLine } from "../../../base/text/one_line.ts";
import { parseFeedDate } from "./feed_dates.ts";

/** The most items of a feed that are read. */
export const MAX_ITEMS = 10_000;

/** The most of an element or field that is read, in characters. */
export const MAX_TEXT = 20_000;

/** The most characters of a title, a link or a name, and of a summary. */
const [MAX_SHORT, MAX_SUMMARY] = [300, 500];

/** An item of a feed. Each text is on one line and safe to show; empty if it is missing. */
export interface FeedItem {
  /** Its title. */
  title: string;
  /** Its address. */
  link: string;
  /** When it was published, in milliseconds since 1970. */
  date: number | undefined;
  /** The date in the feed's own words. */
  said: string;
  /** Its author. */
  author: string;
  /** The start of its summary or content. */
  summary: string;
}

/** A parsed feed. */
export interface Feed {
  /** `RSS 2.0`, `RSS 1.0`, `Atom`, `CDF`, `JSON Feed 1.1`. */
  kind: string;
  /** Its title. */
  title: string;
  /** The address of its site. */
  link: string;
  /** Its items in the feed's own order. */
  items: FeedItem[];
  /** True if there were more than are read. */
  isFull: boolean;
}

/** The texts of a feed or of an item as HTML, by field. */
export type FieldTexts = Map<string, string>;

/** Escapes a string for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** An item from the texts of its feed, whose URL is `base`. */
export function toFeedItem(texts: FieldTexts, base: string): FeedItem {
  const of = (name: string) => texts.get(name) ?? "";
  const id = /^https?:/i.test(of("id").trim()) ? of("id") : "";
  const said = of("date") || of("updated") || of("created");
  return {
    title: oneLine(htmlText(of("title") || of("mediaTitle")), MAX_SHORT),
    link: resolveLink(of("link") || id, base),
    date: parseFeedDate(said),
    said: oneLine(said, 100),
    author: oneLine(htmlText(of("author")), MAX_SHORT),
    summary: oneLine(htmlText(of("summary") || of("content")), MAX_SUMMARY),
  };
}

/** The URL of a link in a feed or a page at `base`, safe to show. */
export function resolveLink(link: string, base: string): string {
  const given = link.trim();
  return given === "" ? "" : escapeControls(URL.parse(given, base)?.href ?? given).slice(0, 2000);
}

/** Elements whose text is not for readers. */
const UNREAD = new Set(["script", "style", "template"]);

/** Elements within a line. */
const INLINE = new Set([
  ...["a", "abbr", "b", "bdi", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "small"],
  ...["span", "strong", "sub", "sup", "time", "u", "var", "wbr"],
]);

/** HTML's meaning of the C1 controls, which feeds write as references: those of Windows-1252. */
function windowsText(text: string): string {
  return text.replaceAll(
    /[\u0080-\u009f]/g,
    (character) => new TextDecoder("windows-1252").decode(Uint8Array.of(character.charCodeAt(0))),
  );
}

/** The text of HTML, with a blank for each element that breaks a line. */
function htmlText(html: string): string {
  const parts: string[] = [];
  let unread = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (UNREAD.has(name)) unread++;
      if (!INLINE.has(name)) parts.push(" ");
    },
    ontext: (text) => void (unread === 0 && parts.push(windowsText(text))),
    onclosetag(name) {
      if (UNREAD.has(name)) unread--;
      if (!INLINE.has(name)) parts.push(" ");
    },
  });
  parser.end(html);
  return parts.join("");
}

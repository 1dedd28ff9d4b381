import { quote } from "../../../base/text/quote.ts";
import { isObject } from "../../../base/json/is_object.ts";
import {
  escapeHtml,
  type Feed,
  type FieldTexts,
  MAX_ITEMS,
  MAX_TEXT,
  toFeedItem,
} from "./feed_item.ts";

/**
 * Reads a JSON Feed of version 1 or 1.1 (https://www.jsonfeed.org/version/1.1/). Throws for any
 * other string.
 */
export function readJsonFeed(text: string, url: string): Feed {
  const feed = parsed(text, url);
  const version = /^https?:\/\/(?:www\.)?jsonfeed\.org\/version\/([\d.]{1,10})/.exec(
    textOf(feed["version"]),
  );
  const items = feed["items"];
  if (version === null || !Array.isArray(items)) {
    throw noFeed(url, "it is JSON, but not a JSON Feed (no version or items)");
  }
  const read = (item: Record<string, unknown>) => toFeedItem(texts(item), url);
  const { title, link } = read({ title: feed["title"], url: feed["home_page_url"] });
  return {
    kind: `JSON Feed ${version[1]}`,
    title,
    link,
    items: items.slice(0, MAX_ITEMS).filter(isObject).map(read),
    isFull: items.length > MAX_ITEMS,
  };
}

function parsed(text: string, url: string): Record<string, unknown> {
  try {
    const feed: unknown = JSON.parse(text);
    if (isObject(feed)) return feed;
  } catch { /* said below */ }
  throw noFeed(url, "it begins like JSON, but is not valid JSON");
}

function texts(item: Record<string, unknown>): FieldTexts {
  const { author, authors } = item;
  const first = Array.isArray(authors) ? authors[0] : author;
  const found: [name: string, text: string][] = [
    ["title", escapeHtml(textOf(item["title"]))],
    ["link", textOf(item["url"]) || textOf(item["external_url"])],
    ["id", textOf(item["id"])],
    ["date", textOf(item["date_published"])],
    ["updated", textOf(item["date_modified"])],
    ["author", isObject(first) ? escapeHtml(textOf(first["name"])) : ""],
    ["summary", escapeHtml(textOf(item["summary"]))],
    ["content", textOf(item["content_html"]) || escapeHtml(textOf(item["content_text"]))],
  ];
  return new Map(found.map(([name, text]) => [name, text.slice(0, MAX_TEXT)]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function noFeed(url: string, why: string): Error {
  return new Error(`Cannot read ${quote(url)} as a feed: ${why}`, { cause: { url } });
}

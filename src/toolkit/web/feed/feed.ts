import { plural } from "../../../base/text/amounts.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { formatDate, parseFeedDate } from "./feed_dates.ts";
import { type FeedItem, MAX_ITEMS } from "./feed_item.ts";
import { CUT_NOTE, fetchText } from "../fetch/fetch_page.ts";
import { readJsonFeed } from "./json_feed.ts";
import { readXmlFeed } from "./xml_feed.ts";

const ACCEPT =
  "application/atom+xml, application/rss+xml, application/rdf+xml, application/feed+json, " +
  "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5";

/**
 * The newest items of a feed as a text: at most `limit`, and none that is older than the date or
 * moment `since`. Throws a readable error for an invalid feed, with the feeds
 * that it names if it is a page.
 */
export async function feedText(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  { url, since, limit }: { url: URL; since?: string | undefined; limit: number },
): Promise<string> {
  const after = since === undefined ? undefined : sinceOf(since);
  const found = await fetchText(ctx, url, { accept: ACCEPT });
  // RSS and Atom begin with an element.
  const read = /^\s*\{/.test(found.text) ? readJsonFeed : readXmlFeed;
  const feed = read(found.text, found.url);
  const wanted = feed.items.filter(({ date }) => after === undefined || (date ?? -1) >= after);
  // The sort is stable: items without a date keep their order at the end.
  wanted.sort((a, b) => (b.date ?? -Infinity) - (a.date ?? -Infinity));
  const shown = wanted.slice(0, limit);
  const undated = after === undefined
    ? 0
    : feed.items.filter(({ date }) => date === undefined).length;
  const left = wanted.length - shown.length;
  return [
    `Feed: ${feed.title || "(without a title)"} (${feed.kind})`,
    `URL: ${escapeControls(found.url)}`,
    ...(feed.link === "" ? [] : [`Site: ${feed.link}`]),
    after === undefined
      ? `${plural(feed.items.length, "item")} in it`
      : `${plural(feed.items.length, "item")} in it, ${wanted.length} since ${formatDate(after)}`,
    ...shown.map((item, at) => `\n${at + 1}. ${itemText(item)}`),
    ...(left > 0 ? [`\n[${plural(left, "more item")}: to see them, give a larger limit]`] : []),
    ...(undated > 0
      ? [`\n[${plural(undated, "item")} without a date omitted; call without since to see them]`]
      : []),
    ...(feed.isFull ? [`\n[Only the first ${plural(MAX_ITEMS, "item")} were read]`] : []),
    ...(found.isCut ? [`\n${CUT_NOTE}`] : []),
  ].join("\n");
}

function itemText({ title, link, date, said, author, summary }: FeedItem): string {
  const when = date === undefined ? said : formatDate(date);
  const facts = [when, author].filter((each) => each !== "").join(", ");
  return [title || "(without a title)", facts, link, summary].filter((each) => each !== "")
    .join("\n   ");
}

function sinceOf(since: string): number {
  const moment = parseFeedDate(since);
  if (moment !== undefined) return moment;
  throw new Error(
    `Cannot read since ${quote(since)}: give a date such as 2026-01-31 or a moment such as ` +
      "2026-01-31T08:00:00Z",
  );
}

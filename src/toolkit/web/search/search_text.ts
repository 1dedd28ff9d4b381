import { plural } from "../../../base/text/amounts.ts";
import { canonicalHost, webUrl } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";
import { RESULT_COUNT } from "./search_provider.ts";
import type { SearchAnswer, SearchHit, SearchQuery } from "./search_provider.ts";

/** The longest snippet, in characters. */
const MAX_SNIPPET = 500;
/** The longest title, age or note, in characters. */
const MAX_TITLE = 300;
/** The longest URL, in characters. */
const MAX_URL = 2_000;

/** The results of a search on the requested domains, as numbered text and as data. */
export function searchText(
  { hits, notes = [] }: SearchAnswer,
  { search, title }: { search: SearchQuery; title: string },
): { text: string; shown: SearchHit[] } {
  const pages = hits.filter(({ url }) => hostOf(url) !== undefined);
  const { allowed, blocked } = search;
  const own = pages.filter(({ url }) => {
    const host = hostOf(url)!;
    return (allowed.length === 0 || isOf(host, allowed)) && !isOf(host, blocked);
  });
  const shown = own.slice(0, RESULT_COUNT);
  const head = `${title} has ${own.length === 0 ? "nothing" : plural(own.length, "result")} ` +
    `for ${quote(search.query, 1000)}${domainsOf(search)}`;
  const other = pages.length - own.length;
  const text = [
    head,
    ...shown.map((hit, index) => hitText(hit, index + 1)),
    ...(own.length > shown.length ? [`[${own.length - shown.length} more are not shown]`] : []),
    ...(other > 0 ? [`[${plural(other, "result")} left out: not of the domains asked for]`] : []),
    ...notes.map((note) => `[${upTo(cleaned(note), MAX_TITLE)}]`),
  ].join("\n\n");
  return { text, shown };
}

/** Returns whether a host is one of the domains or their subdomains. */
function isOf(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** The host of a page on the web; `undefined` for any other URL. */
function hostOf(url: string): string | undefined {
  try {
    const page = webUrl(url);
    return page && canonicalHost(page.hostname);
  } catch {
    return undefined;
  }
}

function domainsOf({ allowed, blocked }: SearchQuery): string {
  if (allowed.length > 0) return ` on ${allowed.join(", ")}`;
  return blocked.length > 0 ? ` without ${blocked.join(", ")}` : "";
}

function hitText({ title, url, snippet, age = "" }: SearchHit, number: number): string {
  const text = cleaned(snippet);
  const short = upTo(text, MAX_SNIPPET);
  return [
    `${number}. ${upTo(cleaned(title), MAX_TITLE) || "(no title)"}`,
    upTo(cleaned(new URL(url).href), MAX_URL),
    ...(age === "" ? [] : [upTo(cleaned(age), MAX_TITLE)]),
    ...(short === "" ? [] : [short]),
  ].join("\n   ");
}

function upTo(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

/** A text on one line, without what could move a cursor, hide or turn around what follows. */
function cleaned(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\p{Cc}\p{Cf}]/gu, "").trim();
}

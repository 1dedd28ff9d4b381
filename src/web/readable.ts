import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { grouped } from "../files/amounts.ts";
import type { PageDocument } from "./dom.ts";
import { nestingOf, plainText } from "./html_scan.ts";
import { markdownOf } from "./markdown.ts";
import type { PageText } from "./page.ts";

/** How deep elements may stand in each other: what lays text out calls itself for each. */
const MOST_NESTING = 500;

/** How long HTML may be to be laid out, in characters: that takes a second for about two million. */
const MOST_LAID_OUT = 3_000_000;

/** Markdown of less than this share of the page's own words is not what the page is about. */
const LEAST_SHARE = 0.1;

/**
 * A page as Markdown: the part that is there to be read, else its whole body. What is too
 * long or nested too deep for that comes as its bare text, and says so.
 */
export function readable(html: string, url: string): PageText {
  const nesting = nestingOf(html);
  if (html.length > MOST_LAID_OUT || nesting > MOST_NESTING) {
    const why = nesting > MOST_NESTING
      ? `Its elements are nested ${grouped(nesting)} deep`
      : `It is ${grouped(html.length)} characters of HTML`;
    return { text: plainText(html), notes: [`${why}, so this is its bare text without layout`] };
  }
  const whole = documentOf(html, url);
  const title = whole.title.replace(/\s+/g, " ").trim();
  const article = articleOf(html, url);
  const text = article ?? markdownOf(whole.body);
  return { text, notes: [], ...(title !== "" && { title }) };
}

/** What is there to be read, or nothing where that cannot be told from the rest. */
function articleOf(html: string, url: string): string | undefined {
  const page = documentOf(html, url);
  const length = page.body.textContent.length;
  const article = new Readability(page as never).parse();
  if (!article?.content || (article.length ?? 0) < length * LEAST_SHARE) return undefined;
  return markdownOf(documentOf(article.content, url).body);
}

/** A document whose links are whole URLs. */
function documentOf(html: string, url: string): PageDocument {
  // Without that element the document would have no body.
  const page = /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
  const { document } = parseHTML(page) as unknown as { document: PageDocument };
  const base = baseOf(document, url);
  for (const [selector, name] of [["a[href]", "href"], ["img[src]", "src"]] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const given = element.getAttribute(name)!;
      if (URL.canParse(given, base)) element.setAttribute(name, new URL(given, base).href);
    }
  }
  return document;
}

function baseOf(document: PageDocument, url: string): string {
  const given = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  return URL.canParse(given, url) ? new URL(given, url).href : url;
}

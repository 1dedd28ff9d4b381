import { Readability } from "@mozilla/readability";
import type { PageDocument, PageElement } from "./dom.ts";
import { SILENT, toMarkdown } from "./markdown.ts";
import { parseDocument } from "./page_document.ts";

/** An article with a smaller share of the page's text is not its main text. */
const MIN_SHARE = 0.5;

/** The number of characters of HTML from which on the whole page is laid out before its main text. */
const LONG_PAGE = 200_000;

/** Elements around the text of a page. Except for `nav` elements, those inside the text belong to it. */
const AROUND = "nav, [role=navigation], header, footer, aside, [role=banner], [role=contentinfo]";

/** A page laid out. */
export interface Layout {
  /** Its text as Markdown; may be empty. */
  text: string;
  /** Its title, if it has one. */
  title?: string;
}

/**
 * Converts a page to Markdown: its main text, else its body without navigation and the like. For a
 * long page `onWhole` gets that body first, in a fraction of the time. Throws `TooDeep` for elements
 * that are nested too deep, and the errors of the libraries.
 */
export function layOutPage(html: string, url: string, onWhole?: (whole: Layout) => void): Layout {
  const page = parseDocument(html, url);
  const title = page.title.replace(/\s+/g, " ").trim();
  const body = bodyToRead(page);
  const words = wordsIn(body.textContent);
  const laidOut = (text: string) => ({ text, ...(title !== "" && { title }) });
  const whole = html.length > LONG_PAGE ? toMarkdown(mainOf(body, words)) : undefined;
  if (whole !== undefined) onWhole?.(laidOut(whole));
  return laidOut(articleOf(html, url, words) ?? whole ?? toMarkdown(body));
}

/** The only element that is marked as the main part, if it has enough of the words, else the body. */
function mainOf(body: PageElement, words: number): PageElement {
  const [main, ...others] = body.querySelectorAll("main, [role=main]");
  if (main === undefined || others.length > 0) return body;
  return wordsIn(main.textContent) < words * MIN_SHARE ? body : main;
}

/** The main text, if Readability finds one with enough of the words. */
function articleOf(html: string, url: string, words: number): string | undefined {
  const page = parseDocument(html, url);
  removeAround(page.body);
  // Classes name the language of code.
  const article = new Readability(page as never, { keepClasses: true }).parse();
  if (!article?.content || wordsIn(article.textContent ?? "") < words * MIN_SHARE) {
    return undefined;
  }
  const text = toMarkdown(parseDocument(article.content, url).body);
  return text === "" ? undefined : text;
}

/** The body without elements that are not for readers, unless nothing else is in it. */
function bodyToRead({ body }: PageDocument): PageElement {
  const unscripted = [...body.querySelectorAll("noscript")];
  removeAll(body.querySelectorAll(SILENT.join()));
  if (wordsIn(body.textContent) === 0) {
    for (const { childNodes } of unscripted) {
      for (const node of [...childNodes]) body.append(node);
    }
  }
  removeAround(body);
  return body;
}

/** Removes the elements around the text, unless nothing else is in the body. */
function removeAround(body: PageElement): void {
  const around = [...body.querySelectorAll(AROUND)].filter((element) =>
    element.nodeName === "NAV" || element.closest("main, article, section") === null
  );
  removeAll(around);
  if (wordsIn(body.textContent) > 0) return;
  for (const element of around) body.append(element);
}

function removeAll(elements: Iterable<PageElement>): void {
  for (const element of [...elements]) element.remove();
}

/** The number of characters of a text without white space. */
function wordsIn(text: string): number {
  return text.replace(/\s+/g, "").length;
}

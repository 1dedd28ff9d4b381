import { Readability } from "@mozilla/readability";
import type { PageDocument, PageElement } from "./dom.ts";
import { markdownOf, SILENT } from "./markdown.ts";
import { documentOf } from "./page_document.ts";

/** An article of less than this share of the words to read is not what the page is about. */
const MIN_SHARE = 0.5;

/** From how many characters of HTML on a page is laid out whole before its part to read is found. */
const LONG_PAGE = 200_000;

/** What stands around the text of a page; of these but the first, what is in the text belongs to it. */
const AROUND = "nav, [role=navigation], header, footer, aside, [role=banner], [role=contentinfo]";

/** A page laid out. */
export interface Layout {
  /** Its text as Markdown; may be empty. */
  text: string;
  /** Its title, where it has one. */
  title?: string;
}

/**
 * A page as Markdown: the part that is there to be read, else its body without what stands around
 * that. For a long page `onWhole` gets that body first, in a fraction of the time. Throws `TooDeep`
 * for elements that are nested too deep, and every error of the parts that lay it out.
 */
export function layoutOf(html: string, url: string, onWhole?: (whole: Layout) => void): Layout {
  const page = documentOf(html, url);
  const title = page.title.replace(/\s+/g, " ").trim();
  const body = bodyToRead(page);
  const words = wordsIn(body.textContent);
  const laidOut = (text: string) => ({ text, ...(title !== "" && { title }) });
  const whole = html.length > LONG_PAGE ? markdownOf(mainOf(body, words)) : undefined;
  if (whole !== undefined) onWhole?.(laidOut(whole));
  return laidOut(articleOf(html, { url, words }) ?? whole ?? markdownOf(body));
}

/**
 * The only element that is marked as the main part, if it has enough of those words, else the body.
 */
function mainOf(body: PageElement, words: number): PageElement {
  const [main, ...others] = body.querySelectorAll("main, [role=main]");
  if (main === undefined || others.length > 0) return body;
  return wordsIn(main.textContent) < words * MIN_SHARE ? body : main;
}

/** The part to read, where Readability finds one that has enough of those words. */
function articleOf(
  html: string,
  { url, words }: { url: string; words: number },
): string | undefined {
  const page = documentOf(html, url);
  removeAround(page.body);
  // Classes name the language of code.
  const article = new Readability(page as never, { keepClasses: true }).parse();
  if (!article?.content || wordsIn(article.textContent ?? "") < words * MIN_SHARE) {
    return undefined;
  }
  const text = markdownOf(documentOf(article.content, url).body);
  return text === "" ? undefined : text;
}

/** The body without what is not for a reader and what stands around it, unless that is all. */
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

/** Nothing is removed from a body that holds nothing else. */
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

/** How many characters of a text are none of white space. */
function wordsIn(text: string): number {
  return text.replace(/\s+/g, "").length;
}

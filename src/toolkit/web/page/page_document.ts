import { NamedError } from "../../../base/errors.ts";
import { parseHTML } from "linkedom";
import { thousands } from "../../../base/text/amounts.ts";
import { nodesIn, type PageDocument } from "./dom.ts";

/** The deepest nesting of elements: Readability takes time in proportion to its square. */
const MAX_NESTING = 300;

/** Elements that only group others. */
const FRAMES = new Set(["HTML", "HEAD", "BODY"]);

/** Elements that belong into the head, wherever they are in the page. */
const OF_THE_HEAD = new Set(["TITLE", "META", "LINK", "BASE", "STYLE"]);

/** Elements are nested too deep; the message is the start of a sentence about the page. */
export class TooDeep extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "TooDeep";
}

/**
 * Parses HTML into a document that always has a head and a body. The URLs of links and pictures
 * become absolute. Throws {@link TooDeep}.
 */
export function parseDocument(html: string, url: string): PageDocument {
  const { document } = parseHTML(
    `<!doctype html><html><head></head><body></body>${html}`,
  ) as unknown as { document: PageDocument };
  checkNesting(document);
  placeAll(document);
  const base = baseOf(document, url);
  for (const [selector, name] of [["a[href]", "href"], ["img[src]", "src"]] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const given = element.getAttribute(name)!;
      if (URL.canParse(given, base)) element.setAttribute(name, new URL(given, base).href);
    }
  }
  return document;
}

/** Moves elements to where a browser puts them: the parser leaves each where its tag is. */
function placeAll({ documentElement, head, body, childNodes }: PageDocument): void {
  const [, , ...inside] = documentElement.childNodes;
  const outside = [...childNodes].filter((node) => node !== documentElement);
  const left = [...inside, ...outside].reverse();
  for (let node; (node = left.pop()) !== undefined;) {
    if (FRAMES.has(node.nodeName)) left.push(...[...node.childNodes].reverse());
    else if (OF_THE_HEAD.has(node.nodeName)) head.append(node);
    else if (node.nodeType === 1 || node.nodeType === 3) body.append(node);
  }
}

/** Throws {@link TooDeep}. The parser leaves nodes beside the root element too. */
function checkNesting({ childNodes }: PageDocument): void {
  let most = 0;
  for (const root of childNodes) {
    for (const { depth } of nodesIn(root)) most = Math.max(most, depth);
  }
  if (most > MAX_NESTING) throw new TooDeep(`Its elements are nested ${thousands(most)} deep`);
}

function baseOf(document: PageDocument, url: string): string {
  const given = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  return URL.canParse(given, url) ? new URL(given, url).href : url;
}

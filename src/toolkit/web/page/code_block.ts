import type { PageElement } from "./dom.ts";

/** A class that names the language of code, as the usual highlighters write it. */
const LANGUAGE = /^(?:language|lang|highlight-source|highlight)-([\w+#.-]+)$/;

/** Elements that are a line each in the code blocks of some highlighters. */
const LINES = "pre div, pre li, pre tr, pre p";

/**
 * Gives the code blocks of an element the line ends that elements stand for, and takes away
 * what is not code.
 */
export function linesOfCode(element: PageElement): void {
  for (const odd of [...element.querySelectorAll("pre button, pre script, pre style")]) {
    odd.remove();
  }
  for (const end of [...element.querySelectorAll("pre br")]) end.replaceWith("\n");
  // The inner ones first: the outer ones then end in a line's end already.
  for (const line of [...element.querySelectorAll(LINES)].reverse()) {
    if (!line.textContent.endsWith("\n")) line.append("\n");
  }
}

/**
 * Preformatted text as a fenced code block, with its language where a class says it. Codes
 * that follow each other with nothing between are a block each: one text in two languages.
 */
export function codeBlocks(pre: PageElement): string {
  const codes = Array.from(pre.children).filter(({ nodeName }) => nodeName === "CODE");
  const isAll = codes.map(({ textContent }) => textContent).join("") === pre.textContent.trim();
  return codes.length > 1 && isAll
    ? codes.map((code) => codeBlock(code, code)).join("")
    : codeBlock(pre, pre.querySelector("code"));
}

function codeBlock(element: PageElement, named: PageElement | null): string {
  const code = element.textContent.replace(/^\n|\n$/g, "");
  const ticks = code.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...ticks.map(({ length }) => length + 1)));
  return `\n\n${fence}${languageOf(element, named)}\n${code}\n${fence}\n\n`;
}

function languageOf(pre: PageElement, named: PageElement | null): string {
  const outer = pre.parentElement;
  for (const element of [named, pre, outer, outer?.parentElement]) {
    for (const name of element?.getAttribute("class")?.split(/\s+/) ?? []) {
      const language = LANGUAGE.exec(name)?.[1];
      if (language !== undefined && !["default", "none"].includes(language)) return language;
    }
  }
  return "";
}

import type { PageElement } from "./dom.ts";

/** A class of the common highlighters that names the language of code. */
const LANGUAGE = /^(?:language|lang|highlight-source|highlight)-([\w+#.-]+)$/;

/** Elements that some highlighters use for each line of code. */
const LINES = "pre div, pre li, pre tr, pre p";

/**
 * Adds line ends to code blocks in which elements separate the lines, and removes buttons, scripts
 * and styles from them.
 */
export function restoreCodeLines(element: PageElement): void {
  for (const odd of [...element.querySelectorAll("pre button, pre script, pre style")]) {
    odd.remove();
  }
  for (const end of [...element.querySelectorAll("pre br")]) end.replaceWith("\n");
  // Inner elements come first, so that outer ones already end in a line end.
  for (const line of [...element.querySelectorAll(LINES)].reverse()) {
    if (!line.textContent.endsWith("\n")) line.append("\n");
  }
}

/**
 * Preformatted text as a fenced code block, with its language if a class names it. Adjacent `code`
 * elements become a block each: they show one text in several languages.
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

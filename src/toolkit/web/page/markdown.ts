// @ts-types="@types/turndown"
import Turndown from "turndown";
import { codeBlocks, restoreCodeLines } from "./code_block.ts";
import { nodesIn, type PageElement } from "./dom.ts";

/** Elements without contents for readers. */
export const SILENT: readonly string[] = [
  ...["script", "style", "noscript", "template", "iframe", "object", "canvas", "svg"],
  ...["button", "select", "dialog"],
];

/** Converts an element to GitHub-flavoured Markdown. */
export function toMarkdown(element: PageElement): string {
  tidyPage(element);
  restoreCodeLines(element);
  const tableOf = remembered(tableAround);
  const numbersOf = remembered(numbersIn);
  const turndown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  turndown.escape = escapeInline;
  turndown.remove((node) => SILENT.includes(node.nodeName.toLowerCase()));
  turndown.addRule("paragraph", {
    filter: "p",
    replacement: (content) => `\n\n${escapeStart(content)}\n\n`,
  });
  turndown.addRule("struck", {
    filter: (node) => ["DEL", "S", "STRIKE"].includes(node.nodeName),
    replacement: (content) => content.trim() === "" ? "" : `~~${content}~~`,
  });
  turndown.addRule("task", {
    filter: (node) => node.nodeName === "INPUT" && node.getAttribute("type") === "checkbox",
    replacement: (_, node) => (node as PageElement).hasAttribute("checked") ? "[x] " : "[ ] ",
  });
  // Pictures in data URLs are long and cannot be followed.
  turndown.addRule("inline picture", {
    filter: (node) => node.nodeName === "IMG" && /^data:/.test(node.getAttribute("src") ?? ""),
    replacement: (_, node) => (node as PageElement).getAttribute("alt") ?? "",
  });
  turndown.addRule("code block", {
    filter: "pre",
    replacement: (_, node) => codeBlocks(node as PageElement),
  });
  turndown.addRule("item", {
    filter: "li",
    replacement: (content, node) => {
      const list = (node as PageElement).parentElement;
      const number = list?.nodeName === "OL" && numbersOf(list).get(node as PageElement);
      const mark = number ? `${number}.  ` : "-   ";
      const lines = content.replace(/^\n+/, "").trimEnd().replaceAll(
        "\n",
        `\n${" ".repeat(mark.length)}`,
      );
      return `${mark}${lines}${content.endsWith("\n") ? "\n" : ""}${node.nextSibling ? "\n" : ""}`;
    },
  });
  turndown.addRule("cell", {
    filter: ["td", "th"],
    replacement: (content, node) =>
      tableOf((node as PageElement).closest("table") ?? element).isLayout
        ? `\n\n${content}\n\n`
        : ` ${onOneLine(content).replace(/(?<!\\)\|/g, "\\|")} |`,
  });
  turndown.addRule("row", {
    filter: "tr",
    replacement: (content, node) => {
      const row = node as PageElement;
      const { isLayout, firstRow } = tableOf(row.closest("table") ?? element);
      if (isLayout) return content;
      // Markdown requires a rule below the first row of a table.
      const rule = firstRow === row ? `\n|${" --- |".repeat(row.children.length)}` : "";
      return `\n|${content}${rule}`;
    },
  });
  turndown.addRule("table", {
    filter: "table",
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
  turndown.addRule("part of a table", {
    filter: ["thead", "tbody", "tfoot"],
    replacement: (content) => content,
  });
  return turndown.turndown(element as never).replace(/\n{3,}/g, "\n\n").trim();
}

/** Caches the results of a function of elements. */
function remembered<T>(find: (element: PageElement) => T): (element: PageElement) => T {
  const known = new WeakMap<PageElement, { found: T }>();
  return (element) => {
    const kept = known.get(element) ?? { found: find(element) };
    known.set(element, kept);
    return kept.found;
  };
}

/** Each cell of a table needs its first row, and whether the table is used for layout. */
function tableAround(table: PageElement): { isLayout: boolean; firstRow: PageElement | null } {
  return {
    isLayout: table.querySelector("table, pre, h1, h2, h3") !== null,
    firstRow: table.querySelector("tr"),
  };
}

/** The numbers of a list's items. */
function numbersIn(list: PageElement): Map<PageElement, number> {
  const first = parseInt(list.getAttribute("start") ?? "");
  const items = Array.from(list.children).filter(({ nodeName }) => nodeName === "LI");
  return new Map(items.map((item, at) => [item, at + (Number.isNaN(first) ? 1 : first)]));
}

function onOneLine(content: string): string {
  return content.split("\n").map((line) => line.trim()).filter((line) => line !== "").join(" ");
}

/**
 * Escapes a text for Markdown. Only characters that a reader would take for markup are escaped: names
 * such as `__name__`, `--flag` and `<tag>` stay unchanged.
 */
function escapeInline(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "\\\\")
    .replace(/[*`]/g, "\\$&")
    .replace(/\[(?=[^\]\n]{0,500}\][([:])/g, "\\[");
}

/** Escapes the start of a paragraph that Markdown would take for a heading, list, quote or rule. */
function escapeStart(paragraph: string): string {
  return paragraph
    .replace(/^(\s*)([-+>]|#{1,6}|=+|-{2,}|~{3,})(?=\s|$)/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])(?=\s|$)/, "$1\\$2");
}

/** The text of a link from a heading to itself. */
const PERMALINK = /^(?:¶|#|§|🔗|⚓|link)?[\uFE0E\uFE0F]?$/iu;

/** The elements that contain such links. */
const TITLED = "h1, h2, h3, h4, h5, h6, dt, caption, figcaption";

/** Removes links of headings to themselves, and rules without text on both sides. */
function tidyPage(body: PageElement): void {
  for (const link of [...body.querySelectorAll("a")]) {
    const isLocal = /#|^$/.test(link.getAttribute("href") ?? "");
    const isEmpty = link.querySelector("img") === null && PERMALINK.test(link.textContent.trim());
    if (isLocal && isEmpty && link.closest(TITLED) !== null) link.remove();
  }
  removeRules(body);
}

/** Removes rules at the start and the end, and those that follow another. */
function removeRules(body: PageElement): void {
  let last: PageElement | undefined;
  let hasText = false;
  const rules: PageElement[] = [];
  for (const { node } of nodesIn(body)) {
    if (node.nodeName === "HR") {
      const rule = node as PageElement;
      if (hasText) last = rule;
      else rules.push(rule);
      hasText = false;
    } else if (
      node.nodeName === "IMG" ||
      (node.nodeType === 3 && /\S/.test((node as PageElement).textContent))
    ) {
      hasText = true;
    }
  }
  if (!hasText && last !== undefined) rules.push(last);
  for (const rule of rules) rule.remove();
}

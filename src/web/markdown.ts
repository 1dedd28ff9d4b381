// @ts-types="@types/turndown"
import Turndown from "turndown";
import type { PageElement } from "./dom.ts";

/** Elements of which nothing is for a reader. */
const REMOVED = [
  ...["script", "style", "noscript", "template", "iframe", "object", "canvas", "svg"],
  ...["button", "select", "dialog"],
];

/** An element as Markdown of GitHub's kind. */
export function markdownOf(element: PageElement): string {
  const turndown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  turndown.remove((node) => REMOVED.includes(node.nodeName.toLowerCase()));
  turndown.addRule("struck", {
    filter: (node) => ["DEL", "S", "STRIKE"].includes(node.nodeName),
    replacement: (content) => content.trim() === "" ? "" : `~~${content}~~`,
  });
  turndown.addRule("task", {
    filter: (node) => node.nodeName === "INPUT" && node.getAttribute("type") === "checkbox",
    replacement: (_, node) => (node as PageElement).hasAttribute("checked") ? "[x] " : "[ ] ",
  });
  // Pictures that are in the page itself are long and cannot be followed.
  turndown.addRule("inline picture", {
    filter: (node) => node.nodeName === "IMG" && /^data:/.test(node.getAttribute("src") ?? ""),
    replacement: (_, node) => (node as PageElement).getAttribute("alt") ?? "",
  });
  turndown.addRule("cell", {
    filter: ["td", "th"],
    replacement: (content, node) =>
      isLayout(node as PageElement)
        ? `\n\n${content}\n\n`
        : ` ${content.trim().replace(/\s*\n\s*/g, " ").replace(/(?<!\\)\|/g, "\\|")} |`,
  });
  turndown.addRule("row", {
    filter: "tr",
    replacement: (content, node) =>
      isLayout(node as PageElement) ? content : `\n|${content}${ruleBelow(node as PageElement)}`,
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

/** Whether the table of a cell or row is there to place things: it holds tables or other blocks. */
function isLayout(node: PageElement): boolean {
  const table = node.closest("table");
  return table?.querySelector("table, pre, ul, ol, h1, h2, h3, blockquote") !== null;
}

/** Markdown's line below the first row of a table, which makes it one. */
function ruleBelow(row: PageElement): string {
  const table = row.closest("table");
  if (table?.querySelector("tr") !== row) return "";
  return `\n|${" --- |".repeat(row.children.length)}`;
}

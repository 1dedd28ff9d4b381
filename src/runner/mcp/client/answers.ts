/** The answers of a server, checked and bounded, as this program uses them. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import { blockText } from "../../../base/block_text.ts";
import type { ContentBlock, ResourceContents, ToolOutput } from "../../../base/content.ts";
import { CallError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";
import type { ListedTool } from "./listed_tool.ts";

/** The most pages, items, and characters of items that are taken from one server's list. */
const [MAX_PAGES, MAX_ITEMS, MAX_TEXT] = [100, 1_000, 2 ** 24];

/** The most violations of a schema that are reported. */
const MAX_FAULTS = 5;

/** A list of a server, or the beginning of a list that is too long. */
export interface ItemList {
  /** The items, unchanged. */
  items: unknown[];
  /** Why the list was cut, in words; absent if it is complete. */
  cut?: string;
}

/**
 * Fetches all pages of a list, within limits. `fetchPage` requests the page of a cursor; a page has
 * its items under `key`.
 */
export async function fetchAllPages(
  key: string,
  fetchPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<ItemList> {
  const items: unknown[] = [];
  const cutBecause = (why: string): ItemList => (
    { items, cut: `only the first ${items.length} ${key} are used: ${why}` }
  );
  const seen = new Set<string>();
  let [cursor, length]: [string | undefined, number] = [undefined, 0];
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await fetchPage(cursor);
    const { [key]: some, nextCursor } = isObject(page) ? page : {};
    if (!Array.isArray(some)) throw new Error(`its response has no list of ${key}`);
    for (const item of some) {
      length += lengthOf(item);
      if (items.length === MAX_ITEMS) return cutBecause(`${MAX_ITEMS} are the most`);
      if (length > MAX_TEXT) return cutBecause("16 MiB is the most");
      items.push(item);
    }
    if (typeof nextCursor !== "string") return { items };
    if (seen.has(nextCursor)) return cutBecause("its pages form a loop");
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return cutBecause(`it has more than ${MAX_PAGES} pages`);
}

/** Returns the length of an item as JSON; more than the limit for one that is nested too deeply. */
function lengthOf(item: unknown): number {
  try {
    return JSON.stringify(item).length;
  } catch {
    return MAX_TEXT + 1;
  }
}

/** Returns the valid contents of a server's answer: those that have a text or a blob. */
export function parseContents(items: readonly unknown[]): ResourceContents[] {
  return items.filter((item): item is ResourceContents => {
    if (!isObject(item)) return false;
    const { uri, text, blob } = item;
    return typeof uri === "string" && (typeof text === "string" || typeof blob === "string");
  });
}

/**
 * Converts a server's result to the output of a tool. Throws `tool_failed`, with its content, for a
 * result with `isError`.
 */
export async function callOutput(
  result: CallToolResult,
  { server, tool, redact }: { server: string; tool: ListedTool; redact: Redactor },
): Promise<ToolOutput> {
  // Fields that are unknown here are kept.
  const content = result.content as ContentBlock[];
  const { structuredContent } = result;
  if (result.isError === true) {
    const blocks = redactData(content, redact);
    const message = blocks.map((block) => blockText(block)).join("\n").trim() ||
      `${quote(tool.tool)} of the MCP server ${quote(server)} failed without a reason`;
    const kept = blocks.length > 0 ? blocks : undefined;
    throw new CallError("tool_failed", message, { server, tool: tool.name }, kept);
  }
  const faults = await faultsOf(structuredContent, tool);
  const notes: ContentBlock[] = faults === undefined ? [] : [{ type: "text", text: faults }];
  if (structuredContent === undefined) return [...content, ...notes];
  if (isObject(structuredContent)) return { content: [...content, ...notes], structuredContent };
  // The output of a tool can only hold an object beside the content.
  return [...content, { type: "text", text: JSON.stringify(structuredContent) }, ...notes];
}

async function faultsOf(data: unknown, tool: ListedTool): Promise<string | undefined> {
  if (tool.outputSchema === undefined) return undefined;
  if (data === undefined) {
    return "[The tool's outputSchema promises structuredContent, but the server sent none]";
  }
  const { compileSchema } = await import("./compile_schema.ts");
  try {
    // A part that cannot be checked is the server's mistake, and no fault of this result.
    const onUnchecked = () => {};
    const what = "the structuredContent";
    const validate = await compileSchema(tool.outputSchema, what, { onUnchecked });
    if (validate(data)) return undefined;
    const faults = (validate.errors ?? []).slice(0, MAX_FAULTS)
      .map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
    return escapeControls(
      `[structuredContent breaks the tool's outputSchema: ${faults.join("; ")}]`,
    );
  } catch (error) {
    return `[${(error as Error).message}]`;
  }
}

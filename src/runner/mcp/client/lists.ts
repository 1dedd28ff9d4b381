import type { ResourceContents } from "../../../base/content.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";
import type { McpResource } from "../../registry/services.ts";

/** The most pages, items, and characters of items that are taken from one server's list. */
const [MAX_PAGES, MAX_ITEMS, MAX_TEXT] = [100, 1_000, 2 ** 24];

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
  const seen = new Set<string>();
  let [cursor, length]: [string | undefined, number] = [undefined, 0];
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await fetchPage(cursor);
    const { [key]: some, nextCursor } = isObject(page) ? page : {};
    if (!Array.isArray(some)) throw new Error(`its answer has no list of ${key}`);
    for (const item of some) {
      length += lengthOf(item);
      if (items.length === MAX_ITEMS || length > MAX_TEXT) {
        const bound = items.length === MAX_ITEMS ? `${MAX_ITEMS} are` : "16 MiB is";
        return { items, cut: `only the first ${items.length} ${key} are taken: ${bound} the most` };
      }
      items.push(item);
    }
    if (typeof nextCursor !== "string") return { items };
    if (seen.has(nextCursor)) {
      const cut = `only the first ${items.length} ${key} are taken: its pages lead in a circle`;
      return { items, cut };
    }
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  const cut =
    `only the first ${items.length} ${key} are taken: it has more than ${MAX_PAGES} pages`;
  return { items, cut };
}

/** Returns the length of an item as JSON; more than the limit for one that is nested too deeply. */
function lengthOf(item: unknown): number {
  try {
    return JSON.stringify(item).length;
  } catch {
    return MAX_TEXT + 1;
  }
}

/** Parses the items of a server's list of resources or templates. Invalid items are left out. */
export function parseResources(
  items: readonly unknown[],
  { server, isTemplate, redact }: { server: string; isTemplate: boolean; redact: Redactor },
): McpResource[] {
  return items.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const { name, title, description, mimeType, ...rest } = item as Record<string, unknown>;
    const uri = rest[isTemplate ? "uriTemplate" : "uri"];
    if (typeof uri !== "string") return [];
    const shown = [title, name, uri].find((each) => typeof each === "string" && each !== "");
    const resource = {
      ...{ server, uri, isTemplate, name: escapeControls(String(shown)) },
      ...(typeof description === "string" && { description: escapeControls(description) }),
      ...(typeof mimeType === "string" && { mimeType: escapeControls(mimeType) }),
    };
    return [redactData(resource, redact)];
  });
}

/** Returns the valid contents of a server's answer: those that have a text or a blob. */
export function parseContents(items: readonly unknown[]): ResourceContents[] {
  return items.filter((item): item is ResourceContents => {
    if (typeof item !== "object" || item === null) return false;
    const { uri, text, blob } = item as Record<string, unknown>;
    return typeof uri === "string" && (typeof text === "string" || typeof blob === "string");
  });
}

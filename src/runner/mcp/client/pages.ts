import { isObject } from "../../../base/json/is_object.ts";

/** How many pages, how many items, and how much text of them is taken of one server's list. */
const [MAX_PAGES, MAX_ITEMS, MAX_TEXT] = [100, 1_000, 2 ** 24];

/** A list of a server, as far as it was taken. */
export interface Listed {
  /** The items, as they came. */
  items: unknown[];
  /** Why there may be more of them, in words; not there when these are all. */
  cut?: string;
}

/**
 * Takes all pages of a list, within bounds. `fetchPage` asks for the page of a cursor; the
 * items of a page are under `key`.
 */
export async function listed(
  key: string,
  fetchPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<Listed> {
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

/** How long an item is as a text; one that is nested too deeply for that counts for all there may be. */
function lengthOf(item: unknown): number {
  try {
    return JSON.stringify(item).length;
  } catch {
    return MAX_TEXT + 1;
  }
}

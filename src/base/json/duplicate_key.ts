import { pointerOf } from "./json_pointer.ts";

/** A string of JSON with its quotes, or a mark outside of strings. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An open object or array. An object has the keys so far, and an array has the next index. */
type Container = { keys: Set<string>; key: string } | { index: number };

/**
 * Returns the JSON pointer of the first key that an object in a JSON text has twice, or undefined.
 * The text must be valid JSON.
 */
export function findDuplicateKey(text: string): string | undefined {
  const open: Container[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const container = open.at(-1);
    if (token === "{") open.push({ keys: new Set(), key: "" });
    else if (token === "[") open.push({ index: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":" && container !== undefined && "keys" in container) {
      container.key = JSON.parse(last);
      if (container.keys.has(container.key)) return pointerTo(open);
      container.keys.add(container.key);
    } else if (token === "," && container !== undefined && "index" in container) container.index++;
    last = token;
  }
  return undefined;
}

/** The first key that occurs a second time. */
export function repeatedKey(keys: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return keys.find((key) => seen.has(key) || void seen.add(key));
}

function pointerTo(open: readonly Container[]): string {
  return pointerOf(open.map((each) => "keys" in each ? each.key : String(each.index)));
}

import { isObject } from "../../is_object.ts";

/**
 * The schema that a `$ref` of `root` names: `#`, a JSON pointer after `#`, or an anchor of its
 * definitions. Returns undefined for one that is not in it: nothing is fetched.
 */
export function resolve(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  if (reference !== "#" && !reference.startsWith("#/")) return anchored(root, reference.slice(1));
  let at: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const key = unescaped(part);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function unescaped(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function anchored(root: unknown, anchor: string): unknown {
  if (!isObject(root)) return undefined;
  return ["$defs", "definitions"]
    .flatMap((key) => isObject(root[key]) ? Object.values(root[key]) : [])
    .find((each) => isObject(each) && each["$anchor"] === anchor);
}

import { isObject, type JsonObject } from "./definition.ts";

/** How many references are followed one after the other. */
const MOST_STEPS = 32;

/**
 * The schema that a `$ref` within `root` leads to, with what stands beside the reference;
 * a schema without one is given back. `undefined` for one that leads nowhere, in circles or
 * out of the document, which is never fetched.
 */
export function followed(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  let found = schema;
  for (let steps = 0; typeof found["$ref"] === "string"; steps++) {
    const { $ref, ...beside } = found;
    const target = valueAt(root, $ref as string);
    if (steps === MOST_STEPS || !isObject(target)) return undefined;
    found = { ...target, ...beside };
  }
  return found;
}

function valueAt(root: JsonObject, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const token of reference.split("/").slice(1)) {
    const key = unescaped(token);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token;
  }
}

import { isObject } from "../../../base/json/is_object.ts";
import { referenced } from "../../../base/json/json_pointer.ts";
import type { JsonObject } from "./definition.ts";

/** How many references are followed one after the other. */
const MAX_STEPS = 32;

/**
 * The schema that a `$ref` within `root` leads to, with what stands beside the reference;
 * a schema without one is given back. `undefined` for one that leads nowhere, in circles or
 * out of the document, which is never fetched.
 */
export function followed(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  let found = schema;
  for (let steps = 0; typeof found["$ref"] === "string"; steps++) {
    const { $ref, ...beside } = found;
    const target = referenced(root, $ref as string);
    if (steps === MAX_STEPS || !isObject(target)) return undefined;
    found = joined(target, beside);
  }
  return found;
}

/**
 * Two schemas in one; of what both say the second's counts. What one says of other keys or items
 * than its own is left out where the other has some too: these would be among them.
 */
export function joined(one: JsonObject, other: JsonObject): JsonObject {
  const both = { ...one, ...other };
  const inBoth = (keywords: string[]) =>
    [one, other].every((schema) => keywords.some((keyword) => keyword in schema));
  if (inBoth(["properties", "patternProperties", "additionalProperties"])) {
    delete both["additionalProperties"];
  }
  if (inBoth(["items", "prefixItems"])) delete both["items"];
  return both;
}

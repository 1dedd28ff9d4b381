import { isObject } from "../json/is_object.ts";
import { referenced } from "../json/json_pointer.ts";

/**
 * The schema that a `$ref` of `root` names: `#`, a JSON pointer after `#`, or an anchor of its
 * definitions. Returns undefined for one that is not in it: nothing is fetched.
 */
export function resolve(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  if (reference !== "#" && !reference.startsWith("#/")) return anchored(root, reference.slice(1));
  return referenced(root, reference);
}

function anchored(root: unknown, anchor: string): unknown {
  if (!isObject(root)) return undefined;
  return ["$defs", "definitions"]
    .flatMap((key) => isObject(root[key]) ? Object.values(root[key]) : [])
    .find((each) => isObject(each) && each["$anchor"] === anchor);
}

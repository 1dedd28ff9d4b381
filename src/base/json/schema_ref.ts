import { isObject } from "./is_object.ts";
import { valueAtFragment } from "./json_pointer.ts";

/** A JSON Schema that is an object. */
export type SchemaObject = Record<string, unknown>;

/** A longer chain of references or unions counts as a circle. */
const MAX_REFERENCES = 32;

/**
 * The schema that a `$ref` names within `root`: `#`, a JSON pointer after `#`, or an anchor of the
 * definitions of `root`. Returns undefined for any other reference: nothing is fetched.
 */
export function resolveRef(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  if (reference === "#" || reference.startsWith("#/")) return valueAtFragment(root, reference);
  if (!isObject(root)) return undefined;
  return ["$defs", "definitions"]
    .flatMap((key) => isObject(root[key]) ? Object.values(root[key]) : [])
    .find((each) => isObject(each) && each["$anchor"] === reference.slice(1));
}

/**
 * Follows the references of a schema within `root` and adds the keywords beside each reference.
 * A schema without a reference is returned as it is. Returns undefined for references that form a
 * circle, or that {@link resolveRef} cannot resolve.
 */
export function followRefs(schema: SchemaObject, root: SchemaObject): SchemaObject | undefined {
  let found = schema;
  for (let steps = 0; typeof found["$ref"] === "string"; steps++) {
    const { $ref, ...beside } = found;
    const target = resolveRef(root, $ref);
    if (steps === MAX_REFERENCES || !isObject(target)) return undefined;
    found = joinSchemas(target, beside);
  }
  return found;
}

/**
 * The schema at the end of the references of `schema`, the very object within `root`, without the
 * keywords beside the references. A reference to another document ends the chain. Returns
 * undefined where {@link followRefs} does, and for a value that is not an object.
 */
export function refTarget(schema: unknown, root: SchemaObject): SchemaObject | undefined {
  let found = schema;
  for (let steps = 0; steps <= MAX_REFERENCES && isObject(found); steps++) {
    const { $ref } = found;
    if (typeof $ref !== "string" || !$ref.startsWith("#")) return found;
    found = resolveRef(root, $ref);
  }
  return undefined;
}

/**
 * Two schemas in one. The second wins where both have a keyword. `additionalProperties` and
 * `items` are dropped where both schemas describe properties or items: they would apply to those
 * of the other schema too.
 */
function joinSchemas(one: SchemaObject, other: SchemaObject): SchemaObject {
  const both = { ...one, ...other };
  const inBoth = (keywords: string[]) =>
    [one, other].every((schema) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
  if (inBoth(["properties", "patternProperties", "additionalProperties"])) {
    delete both["additionalProperties"];
  }
  if (inBoth(["items", "prefixItems"])) delete both["items"];
  return both;
}

/**
 * The only schema that a value can fit. References within the document are followed. A union with
 * `null` stands for its other part, as `nullable`. Returns undefined when there are several
 * schemas to choose from, or none.
 */
export function soleSchema(given: unknown, root: SchemaObject): SchemaObject | undefined {
  let schema = given;
  for (let steps = 0; steps < MAX_REFERENCES; steps++) {
    const found = isObject(schema) ? followRefs(schema, root) : undefined;
    if (found === undefined) return undefined;
    const { type, anyOf, oneOf, ...rest } = found;
    const union = anyOf ?? oneOf;
    if (Array.isArray(union)) {
      // A union beside a type only adds conditions. The validator checks them later.
      if (typeof type === "string") return { ...rest, type };
      const others = union.filter((each) => each?.type !== "null");
      const [only] = others;
      if (others.length !== 1 || typeof only !== "object" || only === null) return undefined;
      schema = { ...joinSchemas(rest, only), nullable: others.length < union.length };
    } else if (Array.isArray(type)) {
      const others = type.filter((each) => each !== "null");
      if (others.length !== 1) return undefined;
      return { ...rest, type: others[0], nullable: others.length < type.length };
    } else return found;
  }
  return undefined;
}

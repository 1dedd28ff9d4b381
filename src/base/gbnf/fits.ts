import type { SchemaObject } from "../json/schema_ref.ts";
import { isObject } from "../json/is_object.ts";
import { allowedTypes } from "./merge.ts";
import { numberOf } from "./writer.ts";

/** The keywords on the contents of objects and arrays, in a schema without references and combinations. */
const INNER = [
  ...["properties", "additionalProperties", "required", "items", "prefixItems", "minItems"],
  "maxItems",
];

/**
 * Returns whether a value of an `enum` fits the other keywords of its schema. Keywords on the
 * contents of objects and arrays are not checked: `unsure` is called for them.
 */
export function fitsSchema(value: unknown, schema: SchemaObject, unsure: () => void): boolean {
  const types = allowedTypes(schema);
  if (types !== undefined && !types.some((type) => isOf(type, value))) return false;
  const within = (size: number, [least, most]: readonly [string, string]) =>
    size >= (numberOf(schema, least) ?? -Infinity) && size <= (numberOf(schema, most) ?? Infinity);
  if (typeof value === "number") {
    return within(value, ["minimum", "maximum"]) &&
      value > (numberOf(schema, "exclusiveMinimum") ?? -Infinity) &&
      value < (numberOf(schema, "exclusiveMaximum") ?? Infinity);
  }
  if (typeof value === "string") {
    const { pattern } = schema;
    return within([...value].length, ["minLength", "maxLength"]) &&
      (typeof pattern !== "string" || finds(pattern, { value, unsure }));
  }
  const isInner = typeof value === "object" && value !== null;
  if (isInner && INNER.some((keyword) => schema[keyword] !== undefined)) unsure();
  return true;
}

function finds(
  pattern: string,
  { value, unsure }: { value: string; unsure: () => void },
): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    unsure();
    return true;
  }
}

function isOf(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "null") return value === null;
  const own: string = typeof value;
  return own === type;
}

import { isObject } from "../json/is_object.ts";
import { typesOf } from "./merge.ts";
import { numberOf, type SchemaObject } from "./writer.ts";

/** What a schema without references and combinations says of objects and arrays. */
const INNER = [
  ...["properties", "additionalProperties", "required", "items", "prefixItems", "minItems"],
  "maxItems",
];

/**
 * Whether a value of an `enum` fits what else its schema says. What is said of the inside of
 * objects and arrays is not looked at, and `unsure` called for it.
 */
export function fits(value: unknown, schema: SchemaObject, unsure: () => void): boolean {
  const types = typesOf(schema);
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

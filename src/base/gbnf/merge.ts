import { isObject } from "../json/is_object.ts";
import type { SchemaObject } from "../json/schema_ref.ts";

/** The keywords of lower and of upper bounds. */
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/** The keywords that cannot be merged by their values alone. */
const PARTS = new Set([
  ...["type", "enum", "const", "properties", "additionalProperties", "items", "prefixItems"],
  "additionalItems",
]);

/**
 * The schema of the values that fit both schemas, or undefined if no value fits both. Neither may
 * have a `$ref`, `allOf`, `anyOf` or `oneOf`. `lose` is called for each keyword of which only the
 * first schema's value could be kept.
 */
export function mergeSchemas(
  one: SchemaObject,
  other: SchemaObject,
  lose: (keyword: string) => void,
): SchemaObject | undefined {
  const both: SchemaObject = {};
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (PARTS.has(key)) continue;
    const [a, b] = [one[key], other[key]];
    if (a === undefined || b === undefined) both[key] = a ?? b;
    else if (LOWER.includes(key)) both[key] = Math.max(Number(a), Number(b));
    else if (UPPER.includes(key)) both[key] = Math.min(Number(a), Number(b));
    else if (key === "required") both[key] = [...new Set([one, other].flatMap(requiredNames))];
    else {
      both[key] = a;
      if (!isSame(a, b)) lose(key);
    }
  }
  const [type, values] = [commonTypes(one, other), commonValues(one, other)];
  if (type?.length === 0 || values?.length === 0) return undefined;
  return {
    ...both,
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...mergeProperties(one, other),
    ...mergeItems(one, other),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The names of the required properties. */
export function requiredNames({ required }: SchemaObject): string[] {
  return Array.isArray(required) ? required.filter((each) => typeof each === "string") : [];
}

/** The names of the types that a schema allows; undefined for all. */
export function allowedTypes({ type }: SchemaObject): string[] | undefined {
  return typeof type === "string" ? [type] : Array.isArray(type) ? type : undefined;
}

function commonTypes(one: SchemaObject, other: SchemaObject): string[] | undefined {
  const [a, b] = [allowedTypes(one), allowedTypes(other)];
  if (a === undefined || b === undefined) return a ?? b;
  const has = (types: string[], type: string) =>
    types.includes(type) || type === "integer" && types.includes("number");
  return [...new Set([...a, ...b])].filter((type) => has(a, type) && has(b, type));
}

/** The values of `const` and `enum`; undefined for all. */
export function allowedValues(schema: SchemaObject): unknown[] | undefined {
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
  if (!("const" in schema)) return values;
  const isListed = values?.some((each) => isSame(each, schema["const"])) ?? true;
  return isListed ? [schema["const"]] : [];
}

function commonValues(one: SchemaObject, other: SchemaObject): unknown[] | undefined {
  const [a, b] = [allowedValues(one), allowedValues(other)];
  if (a === undefined || b === undefined) return a ?? b;
  const texts = new Set(b.map((each) => JSON.stringify(each)));
  return a.filter((each) => texts.has(JSON.stringify(each)));
}

function mergeProperties(one: SchemaObject, other: SchemaObject): SchemaObject {
  const sides = [one, other].map(({ properties, additionalProperties: rest }) => ({
    properties: isObject(properties) ? properties : {},
    rest,
  }));
  const keys = new Set(sides.flatMap(({ properties }) => Object.keys(properties)));
  const merged = [...keys].map((key) => {
    const own = sides.map(({ properties, rest }) =>
      Object.hasOwn(properties, key) ? properties[key] : rest
    );
    return [key, mergeLater(own) ?? true];
  });
  const rest = mergeLater(sides.map((side) => side.rest));
  return {
    ...(keys.size > 0 && { properties: Object.fromEntries(merged) }),
    ...(rest !== undefined && { additionalProperties: rest }),
  };
}

/** The schemas of the first items and of the items after them, in the forms of all drafts. */
export function itemsOf(
  { prefixItems, items, additionalItems }: SchemaObject,
): { first: readonly unknown[]; others: unknown } {
  if (Array.isArray(items)) return { first: items, others: additionalItems };
  return { first: Array.isArray(prefixItems) ? prefixItems : [], others: items };
}

function mergeItems(one: SchemaObject, other: SchemaObject): SchemaObject {
  const sides = [itemsOf(one), itemsOf(other)];
  const length = Math.max(...sides.map(({ first }) => first.length));
  const prefixItems = Array.from({ length }, (_, at) => {
    const own = sides.map(({ first, others }) => at < first.length ? first[at] : others);
    return mergeLater(own) ?? true;
  });
  const items = mergeLater(sides.map(({ others }) => others));
  return { ...(length > 0 && { prefixItems }), ...(items !== undefined && { items }) };
}

/** A schema for the values that fit both; it is merged when it is written. */
function mergeLater([one, other]: readonly unknown[]): unknown {
  if (one === undefined || one === true) return other ?? one;
  if (other === undefined || other === true || isSame(one, other)) return one;
  return { allOf: [one, other] };
}

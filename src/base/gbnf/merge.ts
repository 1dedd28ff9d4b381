import { isObject } from "../json/is_object.ts";
import type { SchemaObject } from "../json/schema_ref.ts";

/** The keywords of lower and of upper bounds. */
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

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
      if (JSON.stringify(a) !== JSON.stringify(b)) lose(key);
    }
  }
  return mergeTypes(both, one, other) && mergeValues(both, one, other)
    ? { ...both, ...mergeProperties(one, other), ...mergeItems(one, other) }
    : undefined;
}

/** The keywords that cannot be merged by their values alone. */
const PARTS = new Set([
  ...["type", "enum", "const", "properties", "additionalProperties", "items", "prefixItems"],
  "additionalItems",
]);

/** The names of the required properties. */
export function requiredNames({ required }: SchemaObject): string[] {
  return Array.isArray(required) ? required.filter((each) => typeof each === "string") : [];
}

/** The names of the types that a schema allows; undefined for all. */
export function allowedTypes({ type }: SchemaObject): string[] | undefined {
  return typeof type === "string" ? [type] : Array.isArray(type) ? type : undefined;
}

function mergeTypes(both: SchemaObject, one: SchemaObject, other: SchemaObject): boolean {
  const [a, b] = [allowedTypes(one), allowedTypes(other)];
  if (a === undefined && b === undefined) return true;
  const has = (types: string[], type: string) =>
    types.includes(type) || type === "integer" && types.includes("number");
  const types = a === undefined || b === undefined
    ? a ?? b!
    : [...new Set([...a, ...b])].filter((type) => has(a, type) && has(b, type));
  both["type"] = types;
  return types.length > 0;
}

/** The values of `const` and `enum`; undefined for all. */
export function allowedValues(schema: SchemaObject): unknown[] | undefined {
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
  if (!("const" in schema)) return values;
  const text = JSON.stringify(schema["const"]);
  const isListed = values?.some((each) => JSON.stringify(each) === text) ?? true;
  return isListed ? [schema["const"]] : [];
}

function mergeValues(both: SchemaObject, one: SchemaObject, other: SchemaObject): boolean {
  const [a, b] = [allowedValues(one), allowedValues(other)];
  if (a === undefined && b === undefined) return true;
  const texts = b?.map((each) => JSON.stringify(each));
  const values = a?.filter((each) => texts?.includes(JSON.stringify(each)) ?? true) ?? b!;
  both["enum"] = values;
  return values.length > 0;
}

function mergeProperties(one: SchemaObject, other: SchemaObject): SchemaObject {
  const [a, b] = [one, other].map(({ properties }) => isObject(properties) ? properties : {});
  const rest = pair(one["additionalProperties"], other["additionalProperties"]);
  const keys = new Set([...Object.keys(a!), ...Object.keys(b!)]);
  const own = (properties: SchemaObject, schema: SchemaObject, key: string) =>
    Object.hasOwn(properties, key) ? properties[key] : schema["additionalProperties"];
  return {
    ...(keys.size > 0 && {
      properties: Object.fromEntries(
        [...keys].map((key) => [key, pair(own(a!, one, key), own(b!, other, key)) ?? true]),
      ),
    }),
    ...(rest !== undefined && { additionalProperties: rest }),
  };
}

function mergeItems(one: SchemaObject, other: SchemaObject): SchemaObject {
  const [a, b] = [one, other].map(({ prefixItems, items, additionalItems }) =>
    Array.isArray(items)
      ? { first: items as unknown[], rest: additionalItems }
      : { first: Array.isArray(prefixItems) ? prefixItems as unknown[] : [], rest: items }
  );
  const length = Math.max(a!.first.length, b!.first.length);
  const first = Array.from({ length }, (_, at) => {
    const of = (side: typeof a) => at < side!.first.length ? side!.first[at] : side!.rest;
    return pair(of(a), of(b)) ?? true;
  });
  const rest = pair(a!.rest, b!.rest);
  return {
    ...(first.length > 0 && { prefixItems: first }),
    ...(rest !== undefined && { items: rest }),
  };
}

/** A schema for the values that fit both; it is merged when it is written. */
function pair(one: unknown, other: unknown): unknown {
  if (one === undefined || one === true) return other ?? one;
  if (other === undefined || other === true) return one;
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  return { allOf: [one, other] };
}

import { isObject } from "../../../base/json/is_object.ts";
/** The values of the keywords of JSON Schema, draft 2020-12. */

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"];

/** The keywords whose value is a schema. */
export const SCHEMA_KEYWORDS = [
  ...["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
];
/** The keywords whose value is a list of schemas. */
export const SCHEMA_LIST_KEYWORDS = ["anyOf", "allOf", "oneOf", "prefixItems"];
/** The keywords whose value is an object of schemas. */
export const SCHEMA_MAP_KEYWORDS = [
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
];

const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const COUNTS = [
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
  ...["minContains", "maxContains"],
];
const TEXTS = [
  ...["description", "title", "format", "$comment", "contentEncoding", "contentMediaType"],
  ...["$ref", "$dynamicRef"],
];
const BOOLEANS = ["uniqueItems", "deprecated", "readOnly", "writeOnly"];

/** Whether the value of a keyword is valid. An unknown keyword may have any value. */
export function isValidKeyword(keyword: string, value: unknown): boolean {
  const isSchema = (each: unknown) => isObject(each) || typeof each === "boolean";
  if (SCHEMA_KEYWORDS.includes(keyword)) return isSchema(value);
  if (SCHEMA_LIST_KEYWORDS.includes(keyword)) {
    return Array.isArray(value) && value.length > 0 && value.every(isSchema);
  }
  if (keyword === "patternProperties") {
    return isObject(value) && Object.keys(value).every(isPattern);
  }
  if (SCHEMA_MAP_KEYWORDS.includes(keyword)) return isObject(value);
  if (NUMBERS.includes(keyword)) {
    return Number.isFinite(value) && (keyword !== "multipleOf" || value as number > 0);
  }
  if (COUNTS.includes(keyword)) return Number.isInteger(value) && (value as number) >= 0;
  if (TEXTS.includes(keyword)) return typeof value === "string";
  if (BOOLEANS.includes(keyword)) return typeof value === "boolean";
  switch (keyword) {
    case "type":
      return Array.isArray(value)
        ? value.length > 0 && isSet(value) && value.every((type) => TYPES.includes(type))
        : TYPES.includes(value as string);
    case "required":
      return Array.isArray(value) && isSet(value) && value.every((key) => typeof key === "string");
    case "enum":
      return Array.isArray(value) && value.length > 0;
    case "pattern":
      return isPattern(value);
    case "examples":
      return Array.isArray(value);
    case "$anchor":
    case "$dynamicAnchor":
      return typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value);
    case "dependentRequired":
      return isObject(value) &&
        Object.values(value).every((keys) => isValidKeyword("required", keys));
    case "$vocabulary":
      return false;
    default:
      return true;
  }
}

function isSet(values: unknown[]): boolean {
  return new Set(values).size === values.length;
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

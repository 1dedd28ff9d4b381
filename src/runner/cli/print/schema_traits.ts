import { isObject } from "../../../base/json/is_object.ts";
import { refTarget, type SchemaObject } from "../../../base/json/schema_ref.ts";
import { inline } from "./style.ts";

/** The deepest nesting of types that is shown. */
const MAX_DEPTH = 32;
/** A type with more characters than this is shown once. Later references say "as above". */
const LONG_TYPE = 200;

/** The state that the traits of one tool's schema share. */
export interface SchemaWords {
  /** The schema that each `$ref` is resolved in. */
  root: SchemaObject;
  /** The types that were shown, in words. */
  types: Map<SchemaObject, string>;
}

/** The limits of a schema, in words. */
const LIMITS: readonly [keyword: string, words: string][] = [
  ["default", "default"],
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
  ["minLength", "characters at least"],
  ["maxLength", "characters at most"],
  ["minItems", "items at least"],
  ["maxItems", "items at most"],
  ["minProperties", "properties at least"],
  ["maxProperties", "properties at most"],
];

/** The type of a property in words, whether it is required, its default and its limits. */
export function traitsOf(
  property: SchemaObject,
  { isRequired, words }: { isRequired: boolean; words: SchemaWords },
): string {
  const { pattern, format } = property;
  const traits = [
    typeOf(property, words),
    isRequired ? "required" : "optional",
    ...LIMITS.filter(([keyword]) => Object.hasOwn(property, keyword)).map(([keyword, says]) =>
      keyword === "minLength" && property[keyword] === 1
        ? "not empty"
        : `${says} ${JSON.stringify(property[keyword])}`
    ),
    ...(property["uniqueItems"] === true ? ["no item twice"] : []),
    ...(typeof pattern === "string" ? [`pattern ${pattern}`] : []),
    ...(typeof format === "string" ? [`format ${format}`] : []),
  ];
  return inline(traits.join(", "));
}

function typeOf(given: unknown, words: SchemaWords, depth = 0): string {
  const schema = refTarget(given, words.root);
  if (schema === undefined) return "any";
  const known = words.types.get(schema);
  if (known !== undefined) return known.length > LONG_TYPE ? "as above" : known;
  if (depth > MAX_DEPTH) return "…";
  // A type that contains itself is shown as "…" within itself.
  words.types.set(schema, "…");
  const type = typeText(schema, (within) => typeOf(within, words, depth + 1));
  words.types.set(schema, type);
  return type;
}

function typeText(schema: SchemaObject, within: (each: unknown) => string): string {
  const { type, enum: values, anyOf, oneOf, allOf, items, additionalProperties: others } = schema;
  const joined = (list: unknown[], by: string) => [...new Set(list.map(within))].join(by);
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema["const"]);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(anyOf)) return joined(anyOf, " | ");
  if (Array.isArray(oneOf)) return joined(oneOf, " | ");
  if (Array.isArray(allOf) && type === undefined) return joined(allOf, " & ");
  if (type === "array") return isObject(items) ? `array of ${grouped(within(items))}` : "array";
  const hasOwn = isObject(schema["properties"]);
  if (type === "object" && !hasOwn && isObject(others)) {
    return `object of ${grouped(within(others))}`;
  }
  if (Array.isArray(type)) return type.join(" | ");
  return typeof type === "string" ? type : hasOwn ? "object" : "any";
}

function grouped(type: string): string {
  return type.includes(" | ") || type.includes(" & ") ? `(${type})` : type;
}

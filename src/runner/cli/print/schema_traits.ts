import { isObject } from "../../../base/json/is_object.ts";
import { referenced } from "../../../base/json/json_pointer.ts";
import { inline } from "./style.ts";

/** A JSON Schema that is an object. */
export type Schema = Record<string, unknown>;

/** How many references are followed one after another, and types within types are shown. */
const [MAX_HOPS, DEEPEST] = [16, 32];
/** A type in more characters than this is told once, however often it is referred to. */
const LONG_TYPE = 200;

/** What the traits of one tool's schema share. */
export interface SchemaWords {
  /** The schema that `$ref` is looked up in. */
  root: Schema;
  /** The types that were told, in words. */
  types: Map<Schema, string>;
}

/** Keywords of a schema, and how a person reads them. */
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

/** The schema that `schema` is or refers to within `root`; `undefined` where it says nothing. */
export function resolved(schema: unknown, root: Schema): Schema | undefined {
  let at = schema;
  for (let hop = 0; hop < MAX_HOPS && isObject(at); hop++) {
    const { $ref } = at;
    if (typeof $ref !== "string") return at;
    if (!/^#(\/|$)/.test($ref)) return at;
    at = referenced(root, $ref);
  }
  return undefined;
}

/** What a property may be, in words: its type, whether it is required, its default and bounds. */
export function traitsOf(
  property: Schema,
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
  const schema = resolved(given, words.root);
  if (schema === undefined) return "any";
  const told = words.types.get(schema);
  if (told !== undefined) return told.length > LONG_TYPE ? "as above" : told;
  if (depth > DEEPEST) return "…";
  // What a type that holds itself says of itself.
  words.types.set(schema, "…");
  const type = typeText(schema, (within) => typeOf(within, words, depth + 1));
  words.types.set(schema, type);
  return type;
}

function typeText(schema: Schema, within: (each: unknown) => string): string {
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

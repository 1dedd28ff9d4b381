import { beside } from "../../../base/terminal/wrap.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { refTarget, type SchemaObject } from "../../../base/json/schema_ref.ts";
import { inline, type TextLayout } from "./style.ts";

/** The deepest nesting of schemas that is printed, and of types within a line. */
const [MAX_DEPTH, MAX_TYPE_DEPTH] = [12, 32];
/** The limit of the text, in characters. With references, a short schema can describe far more. */
const MAX_CHARACTERS = 2 * 2 ** 20;
/** A type with more characters than this is shown once. Later references say "as above". */
const LONG_TYPE = 200;
const MORE = "nested values are not shown; see --format=json";

/** The state that the lines of one schema share. */
interface Context {
  /** The schema that each `$ref` is resolved in. */
  root: SchemaObject;
  /** The types that were shown, in words. */
  types: Map<SchemaObject, string>;
  /** The number of characters that may still be printed. */
  left: { characters: number };
  /** The schemas that were printed. Each is printed once, so a schema that contains itself ends. */
  seen: Set<SchemaObject>;
  width: number;
  paint: TextLayout["paint"];
}

/**
 * The properties of a schema with their traits and descriptions, and the properties of nested
 * objects below them. Wrapped to `width` columns. Control characters are escaped.
 */
export function schemaLines(
  schema: SchemaObject,
  { width, paint }: { width: number; paint: TextLayout["paint"] },
): string[] {
  const left = { characters: MAX_CHARACTERS };
  const context = { root: schema, types: new Map(), left, seen: new Set<SchemaObject>() };
  return objectLines(schema, { depth: 0, level: 0 }, { ...context, width, paint });
}

/** The lines of a schema at a depth of the nesting and a level of indentation. */
function objectLines(
  given: unknown,
  { depth, level }: { depth: number; level: number },
  context: Context,
): string[] {
  const schema = refTarget(given, context.root);
  if (schema === undefined) return [];
  const { properties, required, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const within = [items, additionalProperties, anyOf, oneOf, allOf].flat().filter(isObject);
  if (entries.length === 0 && within.length === 0) return [];
  const { seen, width, paint } = context;
  const indent = "  ".repeat(2 * level + 1);
  const note = (text: string) =>
    beside(indent, text, { width }).map((line) => paint(line, "faint"));
  if (seen.has(schema)) return entries.length > 0 ? note("as above") : [];
  if (depth >= MAX_DEPTH) return note(MORE);
  seen.add(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  return [
    ...entries.flatMap(([key, value]) => [
      ...propertyLines(key, value, { ...context, indent, isRequired: needed.has(key) }),
      ...objectLines(value, { depth: depth + 1, level: level + 1 }, context),
    ]),
    ...within.flatMap((each) => objectLines(each, { depth: depth + 1, level }, context)),
  ];
}

function propertyLines(
  key: string,
  value: unknown,
  context: Context & { indent: string; isRequired: boolean },
): string[] {
  const { root, left, width, paint, indent } = context;
  if (left.characters < 0) return [];
  // Keywords beside a reference apply to this property only.
  const property = { ...refTarget(value, root), ...(isObject(value) && value) };
  const name = inline(key);
  const head = indent + name;
  const text = `${name} (${traitsOf(property, context)})`;
  const { description } = property;
  left.characters -= text.length + String(description).length;
  if (left.characters < 0) {
    return beside(indent, MORE, { width }).map((line) => paint(line, "faint"));
  }
  const lines = beside(indent, text, { width });
  return [
    ...lines.map((line, at) =>
      at === 0 && line.startsWith(head)
        ? `${indent}${paint(name, "strong")}${paint(line.slice(head.length), "faint")}`
        : paint(line, "faint")
    ),
    ...(typeof description === "string" && description !== ""
      ? beside(`${indent}  `, escapeControls(description), { width })
      : []),
  ];
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
function traitsOf(property: SchemaObject, context: Context & { isRequired: boolean }): string {
  const { pattern, format } = property;
  const traits = [
    typeOf(property, context),
    context.isRequired ? "required" : "optional",
    ...LIMITS.filter(([keyword]) => Object.hasOwn(property, keyword)).map(([keyword, says]) =>
      keyword === "minLength" && property[keyword] === 1
        ? "not empty"
        : `${says} ${JSON.stringify(property[keyword])}`
    ),
    ...(property["uniqueItems"] === true ? ["unique items"] : []),
    ...(typeof pattern === "string" ? [`pattern ${pattern}`] : []),
    ...(typeof format === "string" ? [`format ${format}`] : []),
  ];
  return inline(traits.join(", "));
}

function typeOf(
  given: unknown,
  { root, types }: Pick<Context, "root" | "types">,
  depth = 0,
): string {
  const schema = refTarget(given, root);
  if (schema === undefined) return "any";
  const known = types.get(schema);
  if (known !== undefined) return known.length > LONG_TYPE ? "as above" : known;
  if (depth > MAX_TYPE_DEPTH) return "…";
  // A type that contains itself is shown as "…" within itself.
  types.set(schema, "…");
  const type = typeText(schema, (within) => typeOf(within, { root, types }, depth + 1));
  types.set(schema, type);
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

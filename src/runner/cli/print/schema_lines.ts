import { beside } from "../../../base/terminal/wrap.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { refTarget, type SchemaObject } from "../../../base/json/schema_ref.ts";
import { type SchemaWords, traitsOf } from "./schema_traits.ts";
import { inline, type TextLayout } from "./style.ts";

/** The deepest nesting of schemas that is printed. */
const MAX_DEPTH = 12;
/** The limit of the text, in characters. With references, a short schema can describe far more. */
const MAX_CHARACTERS = 2 * 2 ** 20;
const MORE = "and more within; see --format=json";

/** The state that the lines of one schema share. */
interface Context {
  words: SchemaWords;
  /** The number of characters that may still be printed. */
  left: { characters: number };
  /** The schemas that were printed. Each is printed once, so a schema that contains itself ends. */
  seen: Set<SchemaObject>;
  width: number;
  paint: TextLayout["paint"];
}

/** A place in the schema: its depth, and its level of indentation. */
interface Position {
  depth: number;
  level: number;
}

/**
 * The properties of a schema with their traits and descriptions, and the properties of nested
 * objects below them. Wrapped to `width` columns. Control characters are escaped.
 */
export function schemaLines(
  schema: SchemaObject,
  { width, paint }: { width: number; paint: TextLayout["paint"] },
): string[] {
  const words = { root: schema, types: new Map() };
  const left = { characters: MAX_CHARACTERS };
  const context = { words, left, seen: new Set<SchemaObject>(), width, paint };
  return objectLines(schema, { depth: 0, level: 0 }, context);
}

function objectLines(given: unknown, { depth, level }: Position, context: Context): string[] {
  const schema = refTarget(given, context.words.root);
  if (schema === undefined) return [];
  const { properties, required } = schema;
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const within = schemasWithin(schema);
  if (entries.length === 0 && within.length === 0) return [];
  const { seen, width, paint } = context;
  const indent = indentOf(level);
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
  const { words, left, width, paint, indent, isRequired } = context;
  if (left.characters < 0) return [];
  // Keywords beside a reference apply to this property only.
  const property = { ...refTarget(value, words.root), ...(isObject(value) && value) };
  const name = inline(key);
  const head = indent + name;
  const text = `${name} (${traitsOf(property, { isRequired, words })})`;
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

/** The schemas of items, other keys and alternatives. */
function schemasWithin(schema: SchemaObject): unknown[] {
  const { items, additionalProperties, anyOf, oneOf, allOf } = schema;
  return [items, additionalProperties, anyOf, oneOf, allOf].flat().filter(isObject);
}

function indentOf(level: number): string {
  return "  ".repeat(2 * level + 1);
}

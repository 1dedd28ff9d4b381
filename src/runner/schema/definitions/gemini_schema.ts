import { lookupTable } from "../../../base/lookup_table.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { type JsonObject, keywordNote, withNotes } from "./definition.ts";
import { inferredTypes, type Shape, shapeOf } from "./gemini_shape.ts";

/** The most levels and schemas that are converted. Deeper values become JSON text. */
const [MAX_DEPTH, MAX_SCHEMAS] = [24, 2_000];

/** The keywords that Gemini's schema supports, by type. */
const SUPPORTED = lookupTable<readonly string[]>({
  string: ["minLength", "maxLength", "pattern"],
  integer: ["minimum", "maximum"],
  number: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems"],
  object: ["minProperties", "maxProperties"],
});

/** Keywords without a constraint or with a conversion. All others are put into words. */
const CONVERTED = [
  ...["$ref", "$defs", "definitions", "$comment", "$anchor", "title", "description", "nullable"],
  ...["type", "properties", "required", "items", "anyOf", "oneOf", "allOf", "enum", "const"],
  ...["deprecated", "readOnly", "writeOnly"],
];

/** The conversion of one schema. */
interface Position {
  root: JsonObject;
  path: string;
  depth: number;
  /** The references on the way to this place. */
  within: readonly string[];
  left: { count: number };
  losses: string[];
}

/**
 * Converts a valid JSON Schema into the part of OpenAPI's schemas that Gemini supports. The
 * description of each place explains what Gemini cannot express. Objects with arbitrary keys and
 * recursive schemas become JSON text, which the repair of arguments parses again.
 */
export function toGeminiSchema(schema: JsonObject, losses: string[]): JsonObject {
  const left = { count: MAX_SCHEMAS };
  return convert(schema, { root: schema, path: "", depth: 0, within: [], left, losses });
}

function convert(given: unknown, place: Position, outer = ""): JsonObject {
  const { root, within } = place;
  if (place.depth > MAX_DEPTH || --place.left.count < 0) {
    return asJsonText(place, outer, "too deep");
  }
  const reference = isObject(given) ? given["$ref"] : undefined;
  if (typeof reference === "string" && within.includes(reference)) {
    return asJsonText(place, outer, "nested again");
  }
  const inside = typeof reference === "string"
    ? { ...place, within: [...within, reference] }
    : place;
  const shape = shapeOf(given, root);
  const said = [outer, shape.schema["description"] ?? shape.schema["title"]]
    .filter((text) => typeof text === "string" && text !== "").join(": ");
  const { branches } = shape;
  if (branches.length > 1) {
    // Other keywords are not allowed beside `anyOf`.
    const { notes } = shape;
    const deeper = { ...inside, depth: place.depth + 1 };
    return {
      anyOf: branches.map((branch) => {
        const one = convert(branch, deeper, withNotes(said, notes));
        return shape.isNullable && !("anyOf" in one) ? { ...one, nullable: true } : one;
      }),
    };
  }
  const types = inferredTypes(shape.schema);
  if (types.length === 1) return convertType(types[0]!, { ...shape, said }, inside);
  const forms = types.length === 0 ? ["string", "number", "boolean"] : types;
  const notes = types.length === 0 ? ["any JSON value", ...notesOf(shape.schema, [])] : [];
  const { description: _, title: __, ...rest } = shape.schema;
  const base = types.length === 0 ? {} : rest;
  const noted = { ...shape, said: withNotes(said, notes) };
  return {
    anyOf: forms.map((type) => convertType(type, { ...noted, schema: { ...base, type } }, inside)),
  };
}

function convertType(type: string, shape: Shape & { said: string }, place: Position): JsonObject {
  const { schema, isNullable, notes, said } = shape;
  const keep = SUPPORTED[type] ?? [];
  const told = [...notes, ...notesOf(schema, keep)];
  const result: JsonObject = { type: type.toUpperCase() };
  if (type === "null") return describe({ type: "STRING", nullable: true }, said, ["always null"]);
  if (isNullable) result["nullable"] = true;
  for (const keyword of keep) if (Object.hasOwn(schema, keyword)) result[keyword] = schema[keyword];
  if (type === "string") told.push(...addStringValues(result, schema));
  else if (schema["enum"] !== undefined) told.push(keywordNote("one of", schema["enum"]));
  const { properties } = schema;
  if (type === "array") {
    const { items, prefixItems: first } = schema;
    const others = isObject(items) && Object.keys(items).length > 0 ? [items] : [];
    const each = Array.isArray(first) ? { anyOf: [...first, ...others] } : items;
    const path = `${place.path}/items`;
    result["items"] = convert(each, { ...place, path, depth: place.depth + 1 });
  } else if (type === "object") {
    const isOpen = !isObject(properties) || Object.keys(properties).length === 0;
    if (isOpen || place.left.count <= 0) {
      const nullable = isNullable ? { nullable: true } : {};
      const words = ["a JSON object, as JSON text", ...told];
      return describe({ type: "STRING", ...nullable }, said, words);
    }
    const listed: JsonObject = {};
    for (const [key, property] of Object.entries(properties)) {
      if (place.left.count <= 0) continue;
      const at = `${place.path}/${key}`;
      listed[key] = convert(property, { ...place, path: at, depth: place.depth + 1 });
    }
    const missing = Object.keys(properties).length - Object.keys(listed).length;
    if (missing > 0) {
      told.push(`${missing} more properties are omitted`);
      place.losses.push(`${place.path || "/"}: ${missing} more properties are omitted`);
    }
    result["properties"] = listed;
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const known = required.filter((key) => Object.hasOwn(listed, key));
    if (known.length > 0) result["required"] = known;
  }
  return describe(result, said, told);
}

/** Adds the supported values and format of a string. Returns notes about the others. */
function addStringValues(result: JsonObject, { enum: values, format }: JsonObject): string[] {
  const told: string[] = [];
  if (format === "date-time") result["format"] = format;
  else if (format !== undefined) told.push(keywordNote("format", format));
  if (!Array.isArray(values)) return told;
  const texts = values.filter((value) => typeof value === "string" && value !== "");
  if (texts.length > 0) result["enum"] = [...new Set(texts)];
  // The API rejects the empty string as a value. Without it, the list of values would be wrong.
  if (values.includes("")) {
    delete result["enum"];
    told.push(keywordNote("one of", values));
  }
  return told;
}

/** The keywords that only words can express, as notes. */
function notesOf(schema: JsonObject, kept: readonly string[]): string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (CONVERTED.includes(keyword) || kept.includes(keyword) || keyword === "format") return [];
    // A declaration lists what there is in any case.
    return keyword === "additionalProperties" && value === false
      ? []
      : [keywordNote(keyword, value)];
  });
}

function describe(schema: JsonObject, said: string, notes: readonly string[]): JsonObject {
  const description = withNotes(said, notes);
  return description === "" ? schema : { ...schema, description };
}

function asJsonText({ path, losses }: Position, said: string, why: string): JsonObject {
  losses.push(`${path || "/"}: ${why}, so it is passed as JSON text`);
  return describe({ type: "STRING" }, said, [`${why}: as JSON text`]);
}

import { isObject } from "../../../base/json/is_object.ts";
import { type JsonObject, keywordNote, withNotes } from "./definition.ts";
import {
  isValidKeyword,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "./keywords.ts";
import { followRefs } from "../../../base/json/schema_ref.ts";

/** The most levels and schemas that are copied. A schema over the limit allows any value. */
const [MAX_DEPTH, MAX_SCHEMAS] = [48, 20_000];

/** A copy in the making. */
interface Copy {
  root: JsonObject;
  path: string;
  depth: number;
  /** The number of schemas that may still be copied. */
  left: { count: number };
  losses: string[];
}

/**
 * Copies any JSON Schema as a valid schema of draft 2020-12 in which every array has `items`. An
 * API rejects all tools because of one invalid schema. Keywords of older drafts are converted.
 * Invalid parts are left out, which the description and `losses` say.
 */
export function toValidSchema(schema: JsonObject, losses: string[]): JsonObject {
  const left = { count: MAX_SCHEMAS };
  return copySchema(schema, { root: schema, path: "", depth: 0, left, losses });
}

function copySchema(given: unknown, copy: Copy): JsonObject {
  // `true` allows any value, as an empty schema does.
  if (given === true || given === undefined) return {};
  if (given === false) return { not: {} };
  if (!isObject(given)) return lostSchema(copy, keywordNote("no schema:", given));
  if (copy.depth > MAX_DEPTH || --copy.left.count < 0) {
    return lostSchema(copy, "too large to be expanded here: accepts any value");
  }
  const schema = convertDraft(given);
  const result: JsonObject = {};
  const notes: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (
      !isValidKeyword(keyword, value) ||
      keyword === "$ref" && !isResolvable(value as string, copy.root)
    ) {
      notes.push(keywordNote(`${keyword} is omitted:`, value));
      continue;
    }
    const taken = keyword === "properties"
      ? firstProperties(value as JsonObject, copy, notes)
      : value;
    result[keyword] = copyValue(keyword, taken, copy);
  }
  const { type } = result;
  const isArray = type === "array" || Array.isArray(type) && type.includes("array");
  if (isArray && result["items"] === undefined) result["items"] = {};
  if (notes.length > 0) {
    copy.losses.push(...notes.map((note) => `${copy.path || "/"}: ${note}`));
    result["description"] = withNotes(result["description"], notes);
  }
  return result;
}

/** Whether the target of a reference stays in the definition. Choices at the top level do not. */
function isResolvable(reference: string, root: JsonObject): boolean {
  // The place of an anchor is unknown.
  if (/^#[A-Za-z_]/.test(reference)) return true;
  return !/^#\/(allOf|anyOf|oneOf|not)\//.test(reference) &&
    followRefs({ $ref: reference }, root) !== undefined;
}

/** The first properties, as many as may still be copied. */
function firstProperties(properties: JsonObject, { left }: Copy, notes: string[]): JsonObject {
  const all = Object.entries(properties);
  const missing = all.length - Math.max(0, left.count);
  if (missing <= 0) return properties;
  notes.push(`${missing} more properties are omitted`);
  return Object.fromEntries(all.slice(0, all.length - missing));
}

function lostSchema({ losses, path }: Copy, note: string): JsonObject {
  losses.push(`${path || "/"}: ${note}`);
  return { description: withNotes("", [note]) };
}

function copyValue(keyword: string, value: unknown, copy: Copy): unknown {
  const inside = (key: string | number) => ({
    ...copy,
    path: `${copy.path}/${keyword}${key === "" ? "" : `/${key}`}`,
    depth: copy.depth + 1,
  });
  if (SCHEMA_KEYWORDS.includes(keyword)) {
    return typeof value === "boolean" ? value : copySchema(value, inside(""));
  }
  if (SCHEMA_LIST_KEYWORDS.includes(keyword)) {
    return (value as unknown[]).map((each, place) => copySchema(each, inside(place)));
  }
  if (!SCHEMA_MAP_KEYWORDS.includes(keyword)) return value;
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([key, each]) => [key, copySchema(each, inside(key))]));
}

/** The limits that draft 4 makes exclusive by a boolean. */
const EXCLUSIVE = [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const;

/** Converts keywords of older drafts to those of 2020-12. */
function convertDraft(given: JsonObject): JsonObject {
  const { $schema: _, $id: __, id, items, additionalItems, ...schema } = given;
  // Draft 4 has `id` for `$id`. In `properties`, `id` is a name like any other.
  if (id !== undefined && typeof id !== "string") schema["id"] = id;
  if (Array.isArray(items)) {
    if (items.length > 0) schema["prefixItems"] = items;
    schema["items"] = additionalItems ?? {};
  } else if (items !== undefined) {
    schema["items"] = items;
  }
  for (const [limit, exclusive] of EXCLUSIVE) {
    if (schema[exclusive] === true && typeof schema[limit] === "number") {
      schema[exclusive] = schema[limit];
      delete schema[limit];
    } else if (typeof schema[exclusive] === "boolean") {
      delete schema[exclusive];
    }
  }
  return schema;
}

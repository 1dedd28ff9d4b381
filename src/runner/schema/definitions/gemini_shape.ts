import { isObject } from "../../../base/json/is_object.ts";
import { type JsonObject, keywordNote } from "./definition.ts";
import { followRefs } from "../../../base/json/schema_ref.ts";

/** A schema whose references and choices are resolved as far as they go. */
export interface Shape {
  /** The schema, without `allOf`, `anyOf` and `oneOf`. */
  schema: JsonObject;
  /** The alternatives apart from `null`. Fewer than two mean that there is no choice. */
  branches: unknown[];
  /** Whether `null` is allowed. */
  isNullable: boolean;
  /** The parts that are put into words. */
  notes: string[];
}

/** The longest chain of choices with one alternative that is followed. */
const MAX_STEPS = 32;

/** The shape of any schema. */
export function shapeOf(given: unknown, root: JsonObject, steps = 0): Shape {
  const notes: string[] = [];
  const start = isObject(given) ? followRefs(given, root) : {};
  if (start === undefined) notes.push(keywordNote("a value like", (given as JsonObject)["$ref"]));
  if (given === false || isObject(start?.["not"]) && Object.keys(start["not"]).length === 0) {
    notes.push("no value matches");
  }
  const { anyOf, oneOf, ...schema } = joinParts(start ?? {}, { root, notes });
  const choice = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const others = choice.filter((each) => !isNull(each, root));
  const isNullable = schema["nullable"] === true || others.length < choice.length ||
    isList(schema["type"]) && schema["type"].includes("null") ||
    isList(schema["enum"]) && schema["enum"].includes(null);
  const flat = normaliseLimits(schema);
  if (isList(anyOf) && isList(oneOf)) notes.push(keywordNote("oneOf", oneOf));
  if (others.length === 0 || steps === MAX_STEPS) {
    return { schema: flat, branches: [], isNullable, notes };
  }
  if (others.length === 1 && steps < MAX_STEPS) {
    const one = shapeOf(others[0], root, steps + 1);
    return {
      ...one,
      schema: { ...flat, ...one.schema },
      isNullable: isNullable || one.isNullable,
      notes: [...notes, ...one.notes],
    };
  }
  if (inferredTypes(flat).length > 0) {
    // The type is known from the other keywords, so the choice only adds conditions.
    notes.push(
      keywordNote(isList(anyOf) ? "one of these must match:" : "exactly one of these:", choice),
    );
    return { schema: flat, branches: [], isNullable, notes };
  }
  const { description: _, title: __, ...beside } = flat;
  notes.push(...Object.entries(beside).map(([keyword, value]) => keywordNote(keyword, value)));
  if (!isList(anyOf)) notes.push("exactly one of these forms");
  return { schema: flat, branches: others, isNullable, notes };
}

/** The types of a schema apart from `null`, given or inferred from its other keywords. */
export function inferredTypes(schema: JsonObject): string[] {
  const { type, enum: values } = schema;
  if (typeof type === "string") return [type];
  if (isList(type)) return type.filter((each): each is string => each !== "null");
  if (isList(values)) {
    const types = values.filter((value) => value !== null).map((value) =>
      Array.isArray(value) ? "array" : typeof value
    );
    return [...new Set(types)];
  }
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has("properties", "required", "additionalProperties", "patternProperties")) return ["object"];
  if (has("items", "prefixItems", "minItems", "maxItems")) return ["array"];
  if (has("pattern", "minLength", "maxLength")) return ["string"];
  return has("minimum", "maximum", "multipleOf") ? ["number"] : [];
}

/** A schema and all parts of its `allOf` in one. */
function joinParts(
  { allOf, ...schema }: JsonObject,
  { root, notes }: { root: JsonObject; notes: string[] },
): JsonObject {
  const parts = isList(allOf) ? allOf : [];
  return parts.reduce((whole: JsonObject, part) => {
    const own = isObject(part) ? followRefs(part, root) : {};
    if (own === undefined || "allOf" in own) {
      notes.push(keywordNote("allOf", part));
      return whole;
    }
    return mergeSchemas(whole, own, notes);
  }, schema);
}

function mergeSchemas(whole: JsonObject, part: JsonObject, notes: string[]): JsonObject {
  const result = { ...whole };
  for (const [keyword, value] of Object.entries(part)) {
    const before = result[keyword];
    if (before === undefined) result[keyword] = value;
    else if (keyword === "properties" && isObject(before) && isObject(value)) {
      result[keyword] = { ...before, ...value };
    } else if (keyword === "required" && isList(before) && isList(value)) {
      result[keyword] = [...new Set([...before, ...value])];
    } else if (keyword === "description" || keyword === "title") {
      result[keyword] = `${before}: ${value}`;
    } else if (JSON.stringify(before) !== JSON.stringify(value)) {
      notes.push(keywordNote(`also ${keyword}`, value));
    }
  }
  return result;
}

/** Converts `const` to `enum`, and exclusive limits of integers to inclusive ones. */
function normaliseLimits(
  { const: constant, exclusiveMinimum, exclusiveMaximum, ...schema }: JsonObject,
) {
  const result: JsonObject = { ...schema };
  if (constant !== undefined) result["enum"] = [constant];
  const isInteger = schema["type"] === "integer";
  if (typeof exclusiveMinimum === "number") {
    if (isInteger && schema["minimum"] === undefined) {
      result["minimum"] = Math.floor(exclusiveMinimum) + 1;
    } else result["exclusiveMinimum"] = exclusiveMinimum;
  }
  if (typeof exclusiveMaximum === "number") {
    if (isInteger && schema["maximum"] === undefined) {
      result["maximum"] = Math.ceil(exclusiveMaximum) - 1;
    } else result["exclusiveMaximum"] = exclusiveMaximum;
  }
  return result;
}

function isNull(given: unknown, root: JsonObject): boolean {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  return schema?.["type"] === "null" || schema !== undefined && "const" in schema &&
      schema["const"] === null;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

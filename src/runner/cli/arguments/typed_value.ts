import { UsageError } from "../../../base/errors.ts";
import { parseExactJson } from "../../../base/json/exact_json.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { followRefs, type SchemaObject } from "../../../base/json/schema_ref.ts";
import { quote } from "../../../base/text/quote.ts";

/** The deepest union in a schema that is looked into. */
const MAX_DEPTH = 16;

/** The place of an argument: the keys that lead to it, and its schema if the tool declares one. */
export interface ArgumentPlace {
  /** The keys, from the outermost object. */
  path: readonly string[];
  /** The schema of the value. */
  schema?: SchemaObject;
}

/**
 * The place of the argument `key` in the tool's schema: the property of that name, or with a dot a
 * property of an object. An unknown key is its own place, and the validator reports it.
 */
export function findArgument(key: string, root: SchemaObject): ArgumentPlace {
  return within(root, key, root) ?? { path: [key] };
}

function within(given: unknown, key: string, root: SchemaObject): ArgumentPlace | undefined {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  if (schema === undefined) return undefined;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  if (Object.hasOwn(properties, key)) return placeOf([key], properties[key], root);
  const outer = Object.keys(properties).find((each) => key.startsWith(`${each}.`));
  if (outer !== undefined) {
    const inner = within(properties[outer], key.slice(outer.length + 1), root);
    if (inner !== undefined) return { ...inner, path: [outer, ...inner.path] };
  }
  const others = schema["additionalProperties"];
  return isObject(others) ? placeOf([key], others, root) : undefined;
}

function placeOf(path: string[], given: unknown, root: SchemaObject): ArgumentPlace {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  return { path, ...(schema !== undefined && { schema }) };
}

/**
 * The value that users mean by the strings of one argument: a string if the schema accepts one, else a
 * number, a boolean or `null`, or a list of such. A string that fits no type stays one, and the
 * validator reports it. Throws {@link UsageError} for an argument that only JSON can give, and for
 * several strings without a list.
 */
export function typedValue(
  texts: readonly string[],
  { key, schema, root }: { key: string; schema: SchemaObject | undefined; root: SchemaObject },
): unknown {
  const types = typesOf(schema, root);
  const takesList = types?.has("array") === true;
  if (texts.length > 1 && !takesList) {
    throw new UsageError(`The argument ${quote(key)} is given twice; it takes one value`);
  }
  if (texts.length === 1) {
    const [text] = texts as [string];
    const scalar = scalarIn(text, types, key);
    if (scalar !== undefined) return scalar;
    if (!takesList && types?.has("object")) throw needsJson(key, "an object", "{…}");
    if (!takesList) return text;
  }
  const items = itemTypes(schema, root);
  if (items !== undefined && !SCALARS.some((type) => items.has(type))) {
    throw needsJson(key, `a list of ${items.has("array") ? "lists" : "objects"}`, "[…]");
  }
  return texts.map((each) => scalarIn(each, items, key) ?? each);
}

function needsJson(key: string, what: string, shape: string): UsageError {
  return new UsageError(
    `The argument ${quote(key)} takes ${what}; write it as JSON: '${key}:=${shape}'`,
  );
}

const SCALARS = ["string", "number", "integer", "boolean", "null"];

/** The scalar in a string, or undefined if none of the types fits. */
function scalarIn(text: string, types: ReadonlySet<string> | undefined, key: string): unknown {
  if (types === undefined || types.has("string")) return text;
  if (types.has("boolean") && /^(true|false)$/.test(text)) return text === "true";
  if (types.has("null") && text === "null") return null;
  const takesNumber = types.has("number") || types.has("integer");
  if (!takesNumber || !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    throw new UsageError(
      `The number ${quote(text, 80)} of the argument ${quote(key)} has too many digits`,
    );
  }
}

/** The JSON types that a schema accepts, or undefined for any. */
function typesOf(given: unknown, root: SchemaObject, depth = 0): Set<string> | undefined {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  if (schema === undefined || depth > MAX_DEPTH) return undefined;
  const { type, anyOf, oneOf, enum: values } = schema;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.map(String));
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (Object.hasOwn(schema, "const")) return new Set([typeOf(schema["const"])]);
  const union = anyOf ?? oneOf;
  if (!Array.isArray(union)) return undefined;
  const parts = union.map((part) => typesOf(part, root, depth + 1));
  return parts.includes(undefined) ? undefined : new Set(parts.flatMap((part) => [...part!]));
}

/** The types of the items of a list, or of the list in a union. */
function itemTypes(given: unknown, root: SchemaObject): Set<string> | undefined {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  const union = schema?.["anyOf"] ?? schema?.["oneOf"];
  const part = Array.isArray(union)
    ? union.find((each) => typesOf(each, root)?.has("array"))
    : schema;
  const list = isObject(part) ? followRefs(part, root) : undefined;
  return typesOf(list?.["items"], root);
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

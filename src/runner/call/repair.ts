/** Lossless repairs of arguments: the result still says what the model wrote. */

import { parseExactJson } from "../../base/json/exact_json.ts";
import { type InexactNumber, isInexactNumber } from "../../base/json/inexact_number.ts";
import { isObject } from "../../base/json/is_object.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { followRefs, type SchemaObject, soleSchema } from "../../base/json/schema_ref.ts";
import type { Repair } from "./call.ts";

/** The deepest level of arguments that is repaired. */
const MAX_DEPTH = 64;

/** The most JSON texts inside one another that are read. */
const MAX_TEXTS = 4;

/** The location of a value, and the repairs so far. */
interface Visit {
  root: SchemaObject;
  repairs: Repair[];
  path: string;
  depth: number;
  /** The number of JSON texts around the value. */
  texts: number;
}

/**
 * Repairs the arguments in place: it converts a value of the wrong type if the schema leaves no
 * choice and the conversion is lossless. Returns the repairs. The caller validates again.
 */
export function repairArguments(schema: SchemaObject, args: Record<string, unknown>): Repair[] {
  const repairs: Repair[] = [];
  repaired(args, schema, { root: schema, repairs, path: "", depth: 0, texts: 0 });
  return repairs;
}

/** Returns the value or its repair. An object or array is changed in place. */
function repaired(value: unknown, given: unknown, visit: Visit): unknown {
  const schema = soleSchema(given, visit.root);
  if (schema === undefined || visit.depth > MAX_DEPTH) return value;
  const other = isInexactNumber(value)
    ? fromInexact(value, schema, visit)
    : typeof value === "string"
    ? fromText(value, schema, visit)
    : isScalar(value)
    ? fromScalar(value, schema, visit)
    : value;
  if (Array.isArray(other) && schema["type"] === "array") repairItems(other, schema, visit);
  else if (isObject(other)) repairProperties(other, schema, visit);
  return other;
}

function repairItems(items: unknown[], schema: SchemaObject, visit: Visit): void {
  const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"].length : 0;
  for (const [place, item] of items.entries()) {
    // `prefixItems` has the schemas of the first items.
    if (place < first) continue;
    items[place] = repaired(item, schema["items"], inside(visit, String(place)));
  }
}

function repairProperties(
  object: Record<string, unknown>,
  schema: SchemaObject,
  visit: Visit,
): void {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  // A pattern may match some of the other keys, so their schema is unknown.
  const others = "patternProperties" in schema ? undefined : schema["additionalProperties"];
  for (const key of Object.keys(object)) {
    const isDeclared = Object.hasOwn(properties, key);
    const own = isDeclared ? properties[key] : others;
    const at = inside(visit, key);
    if (object[key] === null && isDeclared && !required.includes(key)) {
      if (takesNull(own, visit.root)) continue;
      delete object[key];
      visit.repairs.push({ path: at.path, rule: "null", from: null });
    } else if (isObject(own)) {
      const value = repaired(object[key], own, at);
      if (value !== object[key]) object[key] = value;
    }
  }
}

/** Whether a schema may accept `null`, as a schema without a type does. */
function takesNull(given: unknown, root: SchemaObject, depth = 0): boolean {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  if (schema === undefined || schema["nullable"] === true || depth > MAX_DEPTH) return true;
  const { type, anyOf, oneOf, enum: values } = schema;
  const union = anyOf ?? oneOf;
  if (typeof type === "string") return type === "null";
  if (Array.isArray(type)) return type.includes("null");
  if (Array.isArray(union)) return union.some((part) => takesNull(part, root, depth + 1));
  if (Array.isArray(values)) return values.includes(null);
  return schema["const"] === undefined || schema["const"] === null;
}

function fromText(text: string, schema: SchemaObject, visit: Visit): unknown {
  const { path, repairs, texts } = visit;
  const { type } = schema;
  const took = (rule: Repair["rule"], value: unknown) => {
    repairs.push({ path, rule, from: text });
    return value;
  };
  if (type === "boolean" && (text === "true" || text === "false")) {
    return took("boolean", text === "true");
  }
  if (type === "integer" || type === "number") {
    const number = numberIn(text);
    const fits = number !== undefined && (type === "number" || Number.isInteger(number));
    return fits ? took(type, number) : text;
  }
  if (type !== "array" && type !== "object") return text;
  // A string that begins like JSON but is invalid is probably truncated, so it is not an item.
  if (!/^\s*[[{]/.test(text)) return type === "array" ? fromScalar(text, schema, visit) : text;
  const value = texts < MAX_TEXTS ? valueIn(text) : undefined;
  const isSuch = type === "array" ? Array.isArray(value) : isObject(value);
  if (!isSuch) return text;
  repairs.push({ path, rule: "json_text" });
  visit.texts += 1;
  return value;
}

/** The digits of a number that JavaScript would change, where the schema wants a string. */
function fromInexact(value: InexactNumber, { type }: SchemaObject, visit: Visit): unknown {
  if (type !== "string") return value;
  visit.repairs.push({ path: visit.path, rule: "string", from: value.rawJSON });
  return value.rawJSON;
}

/** Puts a scalar into a list, if the schema wants a list of such scalars. */
function fromScalar(value: string | number | boolean, schema: SchemaObject, visit: Visit): unknown {
  const items = soleSchema(schema["items"], visit.root);
  if (schema["type"] !== "array" || items === undefined) return value;
  const isSuch = items["type"] === typeof value ||
    items["type"] === "integer" && Number.isInteger(value);
  // An empty string may also mean an empty list.
  if (!isSuch || typeof value === "string" && value.trim() === "") return value;
  visit.repairs.push({ path: visit.path, rule: "one_item", from: value });
  return [value];
}

/** Returns the number in a JSON text, or `undefined` if a float could only hold it rounded. */
function numberIn(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  const isSafe = Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return isSafe && spelling(text) === spelling(String(number)) ? number : undefined;
}

/** Returns the digits and the power of ten of a number: equal for all its spellings. */
function spelling(text: string): string {
  const [, sign, whole, fraction = "", power = "0"] = text.match(
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/,
  )!;
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return `${sign}0`;
  return `${sign}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}

function valueIn(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function inside({ path, depth, ...rest }: Visit, key: string): Visit {
  return { ...rest, path: path + pointerOf([key]), depth: depth + 1 };
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

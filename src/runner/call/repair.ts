/** Repairs of arguments that lose nothing: whatever comes out says what the model wrote. */

import { parseExactJson } from "../../base/json/exact_json.ts";
import { isObject } from "../../base/json/is_object.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { followRefs, type SchemaObject, soleSchema } from "../../base/json/schema_ref.ts";
import type { Repair } from "./call.ts";

/** How deep arguments are repaired. */
const DEEPEST = 64;

/** How often a JSON text within a JSON text is read. */
const MAX_TEXT = 4;

/** Where a value is, and what was done so far. */
interface Visit {
  root: SchemaObject;
  repairs: Repair[];
  path: string;
  depth: number;
  /** How many JSON texts the value was found in. */
  texts: number;
}

/**
 * Repairs, in place, the arguments that are of another type than their schema's, where the
 * schema leaves no choice and nothing is lost. Returns what was done. Whether they fit now
 * is to be checked.
 */
export function repairArguments(schema: SchemaObject, args: Record<string, unknown>): Repair[] {
  const repairs: Repair[] = [];
  repaired(args, schema, { root: schema, repairs, path: "", depth: 0, texts: 0 });
  return repairs;
}

/** The value, or what it is repaired to; an object or array stays the same one. */
function repaired(value: unknown, given: unknown, visit: Visit): unknown {
  const schema = soleSchema(given, visit.root);
  if (schema === undefined || visit.depth > DEEPEST) return value;
  const other = typeof value === "string"
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
    // The first ones have schemas of their own.
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
  // Which of its keys a pattern takes out of the others is not asked.
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

/** Whether a schema may take `null`: a union when one of its parts does, and one without a type. */
function takesNull(given: unknown, root: SchemaObject, depth = 0): boolean {
  const schema = isObject(given) ? followRefs(given, root) : undefined;
  if (schema === undefined || schema["nullable"] === true || depth > DEEPEST) return true;
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
  // What begins like an object or array and is none is cut off, and no item.
  if (!/^\s*[[{]/.test(text)) return type === "array" ? fromScalar(text, schema, visit) : text;
  const value = texts < MAX_TEXT ? valueIn(text) : undefined;
  const isSuch = type === "array" ? Array.isArray(value) : isObject(value);
  if (!isSuch) return text;
  repairs.push({ path, rule: "json_text" });
  visit.texts += 1;
  return value;
}

/** A list of the one scalar, where a list of such scalars is wanted. */
function fromScalar(value: string | number | boolean, schema: SchemaObject, visit: Visit): unknown {
  const items = soleSchema(schema["items"], visit.root);
  if (schema["type"] !== "array" || items === undefined) return value;
  const isSuch = items["type"] === typeof value ||
    items["type"] === "integer" && Number.isInteger(value);
  // An empty text may as well stand for no item.
  if (!isSuch || typeof value === "string" && value.trim() === "") return value;
  visit.repairs.push({ path: visit.path, rule: "one_item", from: value });
  return [value];
}

/** The number that a text spells as JSON does; none that could only be taken rounded. */
function numberIn(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  const isSafe = Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return isSafe && spelling(text) === spelling(String(number)) ? number : undefined;
}

/** A decimal number as its digits and its power of ten, the same for every way to write it. */
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

import { isObject } from "../json/is_object.ts";
import { resolveRef, type SchemaObject } from "../json/schema_ref.ts";
import { allowedTypes, allowedValues, mergeSchemas } from "./merge.ts";
import { numberOf, type Writer } from "./rules.ts";

/** The most alternatives of one schema, after those of its parts are multiplied. */
const MAX_ALTERNATIVES = 500;

/** The longest chain of references. */
const MAX_DEPTH = 50;

/** Keywords that combine other schemas and assert nothing themselves. */
const COMBINING = new Set(["$ref", "allOf", "anyOf", "oneOf"]);

/** Keywords that assert nothing about the value. */
const SILENT = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$comment", "$schema", "$id", "$anchor", "$defs", "definitions"],
]);

/** The schema without the keywords that assert nothing about the value. */
export function assertions(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !SILENT.has(key)));
}

/** The alternatives of a schema that is only an `anyOf`, a `oneOf` or a `$ref`; else undefined. */
export function choicesOf(writer: Writer, schema: SchemaObject): readonly unknown[] | undefined {
  const [key, ...others] = Object.keys(schema);
  if (key === undefined || others.length > 0 || !COMBINING.has(key)) return undefined;
  if (key === "$ref") return [referred(writer, schema[key])];
  const parts = schema[key];
  if (!Array.isArray(parts)) return undefined;
  if (key === "oneOf") reportOverlap(writer, parts);
  return key !== "allOf" || parts.length === 1 ? parts : undefined;
}

/**
 * The alternatives of a schema: schemas without references and combinations. A value fits `schema` if
 * it fits one of them. The list is empty if nothing fits.
 */
export function alternatives(writer: Writer, schema: unknown, depth = 0): SchemaObject[] {
  if (schema === false) return [];
  if (!isObject(schema)) return [{}];
  if (depth > MAX_DEPTH || !writer.mayTakeApart()) {
    writer.report("a schema that refers to itself, or to others over and over");
    return [{}];
  }
  const below = (each: unknown) => alternatives(writer, each, depth + 1);
  const own = Object.entries(assertions(schema)).filter(([key]) => !COMBINING.has(key));
  let all: SchemaObject[] = [Object.fromEntries(own)];
  const and = (others: SchemaObject[]) => {
    if (all.length * others.length > MAX_ALTERNATIVES) {
      writer.report(`a combination of more than ${MAX_ALTERNATIVES} alternatives`);
      return;
    }
    const lose = (keyword: string) => writer.report(`a second "${keyword}"`);
    all = all.flatMap((one) =>
      others.map((other) => mergeSchemas(one, other, lose)).filter((each) => each !== undefined)
    );
  };
  const { $ref, allOf, anyOf, oneOf } = schema;
  if ($ref !== undefined) and(below(referred(writer, $ref)));
  for (const each of Array.isArray(allOf) ? allOf : []) and(below(each));
  if (Array.isArray(anyOf)) and(anyOf.flatMap(below));
  if (Array.isArray(oneOf)) {
    reportOverlap(writer, oneOf);
    and(oneOf.flatMap(below));
  }
  return all;
}

function referred(writer: Writer, reference: unknown): unknown {
  const found = resolveRef(writer.root, reference);
  if (found === undefined) writer.report(`"$ref" ${JSON.stringify(reference)}`);
  return found ?? true;
}

/** Reports that a `oneOf` is treated as an `anyOf`, unless the types of its parts are disjoint. */
function reportOverlap(writer: Writer, parts: readonly unknown[]): void {
  const types = parts.flatMap((each) =>
    isObject(each) ? allowedTypes(each) ?? [undefined] : [undefined]
  );
  const isClear = !types.includes(undefined) && new Set(types).size === types.length &&
    !(types.includes("integer") && types.includes("number"));
  if (!isClear) writer.report('"oneOf"');
}

/** The keywords on the contents of objects and arrays, in a schema without references and combinations. */
const INNER = [
  ...["properties", "additionalProperties", "required", "items", "prefixItems", "minItems"],
  "maxItems",
];

/**
 * The values of the schema's `enum` and `const` that fit its other keywords; undefined if it has
 * neither. Reports keywords on the contents of objects and arrays, which are not checked.
 */
export function fittingValues(writer: Writer, schema: SchemaObject): unknown[] | undefined {
  const { pattern } = schema;
  const types = allowedTypes(schema);
  const unsure = () => writer.report('"enum" beside others');
  const within = (value: number, [least, most]: readonly [string, string]) =>
    value >= (numberOf(schema, least) ?? -Infinity) &&
    value <= (numberOf(schema, most) ?? Infinity);
  return allowedValues(schema)?.filter((value) => {
    if (types !== undefined && !types.some((type) => isOf(type, value))) return false;
    if (typeof value === "number") {
      return within(value, ["minimum", "maximum"]) &&
        value > (numberOf(schema, "exclusiveMinimum") ?? -Infinity) &&
        value < (numberOf(schema, "exclusiveMaximum") ?? Infinity);
    }
    if (typeof value === "string") {
      if (!within([...value].length, ["minLength", "maxLength"])) return false;
      if (typeof pattern !== "string") return true;
      try {
        return new RegExp(pattern, "u").test(value);
      } catch {
        unsure();
        return true;
      }
    }
    const isInner = typeof value === "object" && value !== null;
    if (isInner && INNER.some((keyword) => schema[keyword] !== undefined)) unsure();
    return true;
  });
}

function isOf(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "null") return value === null;
  const own: string = typeof value;
  return own === type;
}

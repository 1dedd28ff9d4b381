import type { SchemaObject } from "../json/schema_ref.ts";
import { isObject } from "../json/is_object.ts";
import { allowedTypes, mergeSchemas } from "./merge.ts";
import { reportUnsupported, type SchemaLocation, type Writer } from "./writer.ts";
import { resolveRef } from "../json/schema_ref.ts";

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
export function choicesOf(
  writer: Writer,
  schema: SchemaObject,
  { root, location }: { root: unknown; location: SchemaLocation },
): readonly unknown[] | undefined {
  const [key, ...others] = Object.keys(schema);
  if (key === undefined || others.length > 0 || !COMBINING.has(key)) return undefined;
  if (key === "$ref") return [referred(writer, schema[key], { root, location })];
  const parts = schema[key];
  if (!Array.isArray(parts)) return undefined;
  if (key === "oneOf") reportOverlap(writer, parts, location);
  return key !== "allOf" ? parts : parts.length === 1 ? parts : undefined;
}

/**
 * The alternatives of a schema: schemas without references and combinations. A value fits `schema` if
 * it fits one of them. The list is empty if nothing fits.
 */
export function alternatives(
  writer: Writer,
  schema: unknown,
  { root, location, depth = 0 }: { root: unknown; location: SchemaLocation; depth?: number },
): SchemaObject[] {
  if (schema === false) return [];
  if (!isObject(schema)) return [{}];
  if (depth > MAX_DEPTH || !writer.mayTakeApart()) {
    writer.report(location, "a schema that refers to itself, or to others over and over");
    return [{}];
  }
  const below = (each: unknown) => alternatives(writer, each, { root, location, depth: depth + 1 });
  const own = Object.entries(assertions(schema)).filter(([key]) => !COMBINING.has(key));
  let all: SchemaObject[] = [Object.fromEntries(own)];
  const and = (others: SchemaObject[]) => {
    if (all.length * others.length > MAX_ALTERNATIVES) {
      writer.report(location, `a combination of more than ${MAX_ALTERNATIVES} alternatives`);
      return;
    }
    const lose = (keyword: string) => writer.report(location, `a second "${keyword}"`);
    all = all.flatMap((one) =>
      others.map((other) => mergeSchemas(one, other, lose)).filter((each) => each !== undefined)
    );
  };
  if (schema["$ref"] !== undefined) {
    and(below(referred(writer, schema["$ref"], { root, location })));
  }
  for (const each of list(schema["allOf"]) ?? []) and(below(each));
  for (const key of ["anyOf", "oneOf"]) {
    const parts = list(schema[key]);
    if (parts === undefined) continue;
    if (key === "oneOf") reportOverlap(writer, parts, location);
    and(parts.flatMap(below));
  }
  return all;
}

function list(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function referred(
  writer: Writer,
  reference: unknown,
  { root, location }: { root: unknown; location: SchemaLocation },
): unknown {
  const found = resolveRef(root, reference);
  if (found === undefined) writer.report(location, `"$ref" ${JSON.stringify(reference)}`);
  return found ?? true;
}

/** Reports that a `oneOf` is treated as an `anyOf`, unless the types of its parts are disjoint. */
function reportOverlap(writer: Writer, parts: readonly unknown[], location: SchemaLocation): void {
  const types = parts.flatMap((each) =>
    isObject(each) ? allowedTypes(each) ?? [undefined] : [undefined]
  );
  const isClear = !types.includes(undefined) && new Set(types).size === types.length &&
    !(types.includes("integer") && types.includes("number"));
  if (!isClear) reportUnsupported(writer, { oneOf: parts }, { location, keywords: ["oneOf"] });
}

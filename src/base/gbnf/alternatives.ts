import { isObject } from "../json/is_object.ts";
import { merged, typesOf } from "./merge.ts";
import { resolveRef } from "../json/schema_ref.ts";
import { type Place, type SchemaObject, tellOf, type Writer } from "./writer.ts";

/** How many alternatives one schema may come to, when those of its parts are multiplied. */
const MOST = 500;

/** How many references lead to one another at most. */
const DEEPEST = 50;

/** Keywords that stand for other schemas, and say nothing themselves. */
const COMBINING = new Set(["$ref", "allOf", "anyOf", "oneOf"]);

/** Keywords that say nothing about the value. */
const SILENT = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$comment", "$schema", "$id", "$anchor", "$defs", "definitions"],
]);

/** The schema without the keywords that say nothing about the value. */
export function assertions(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !SILENT.has(key)));
}

/** The schema's `anyOf` or `oneOf`, or what its `$ref` names, where that is all there is of it. */
export function choicesOf(
  writer: Writer,
  schema: SchemaObject,
  { root, place }: { root: unknown; place: Place },
): readonly unknown[] | undefined {
  const [key, ...others] = Object.keys(schema);
  if (key === undefined || others.length > 0 || !COMBINING.has(key)) return undefined;
  if (key === "$ref") return [referred(writer, schema[key], { root, place })];
  const parts = schema[key];
  if (!Array.isArray(parts)) return undefined;
  if (key === "oneOf") tellOfOverlap(writer, parts, place);
  return key !== "allOf" ? parts : parts.length === 1 ? parts : undefined;
}

/**
 * The schemas without references and combinations of which a value has to fit any in order to
 * fit `schema`: none where nothing fits.
 */
export function alternatives(
  writer: Writer,
  schema: unknown,
  { root, place, depth = 0 }: { root: unknown; place: Place; depth?: number },
): SchemaObject[] {
  if (schema === false) return [];
  if (!isObject(schema)) return [{}];
  if (depth > DEEPEST || !writer.mayTakeApart()) {
    writer.tell(place, "a schema that refers to itself, or to others over and over");
    return [{}];
  }
  const below = (each: unknown) => alternatives(writer, each, { root, place, depth: depth + 1 });
  const own = Object.entries(assertions(schema)).filter(([key]) => !COMBINING.has(key));
  let all: SchemaObject[] = [Object.fromEntries(own)];
  const and = (others: SchemaObject[]) => {
    if (all.length * others.length > MOST) {
      writer.tell(place, `a combination of more than ${MOST} alternatives`);
      return;
    }
    const lose = (keyword: string) => writer.tell(place, `a second "${keyword}"`);
    all = all.flatMap((one) =>
      others.map((other) => merged(one, other, lose)).filter((each) => each !== undefined)
    );
  };
  if (schema["$ref"] !== undefined) {
    and(below(referred(writer, schema["$ref"], { root, place })));
  }
  for (const each of list(schema["allOf"]) ?? []) and(below(each));
  for (const key of ["anyOf", "oneOf"]) {
    const parts = list(schema[key]);
    if (parts === undefined) continue;
    if (key === "oneOf") tellOfOverlap(writer, parts, place);
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
  { root, place }: { root: unknown; place: Place },
): unknown {
  const found = resolveRef(root, reference);
  if (found === undefined) writer.tell(place, `"$ref" ${JSON.stringify(reference)}`);
  return found ?? true;
}

/** Says that a `oneOf` is taken for an `anyOf`, unless the types of its parts tell them apart. */
function tellOfOverlap(writer: Writer, parts: readonly unknown[], place: Place): void {
  const types = parts.flatMap((each) =>
    isObject(each) ? typesOf(each) ?? [undefined] : [undefined]
  );
  const isClear = !types.includes(undefined) && new Set(types).size === types.length &&
    !(types.includes("integer") && types.includes("number"));
  if (!isClear) tellOf(writer, { oneOf: parts }, { place, keywords: ["oneOf"] });
}

import { isObject } from "../../../base/json/is_object.ts";
import type { SchemaObject } from "../../../base/json/schema_ref.ts";
import { mapSubschemas } from "./schema_resources.ts";

/**
 * A schema with the same meaning, written so that ajv 8 checks it as JSON Schema says: ajv refuses an
 * empty `enum`, leaves out a property `__proto__`, and follows too simple rules for the items and
 * properties that `unevaluatedItems` and `unevaluatedProperties` do not concern.
 */
export function adaptedSchema(schema: SchemaObject): SchemaObject {
  const defs: SchemaObject = {};
  const isTracked = hasKeyword(schema, ["unevaluatedItems", "unevaluatedProperties"]);
  const share = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner;
    // A copy in each of two places, nested, would double with each level.
    const name = `shared ${Object.keys(defs).length}`;
    defs[name] = inner;
    return { $ref: `#/$defs/${encodeURIComponent(name)}` };
  };
  const adapt = (outer: SchemaObject): SchemaObject => {
    const inner = mapSubschemas(outer, (each) => isObject(each) ? adapt(each) : each);
    const simple = withOwnNames(withoutEmptyEnum(inner));
    return isTracked ? withContains(withBranches(simple, share), share) : simple;
  };
  const adapted = adapt(schema);
  if (Object.keys(defs).length === 0) return adapted;
  return {
    ...adapted,
    $defs: { ...(isObject(adapted["$defs"]) ? adapted["$defs"] : {}), ...defs },
  };
}

function hasKeyword(schema: SchemaObject, wanted: readonly string[]): boolean {
  let isFound = false;
  const visit = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner;
    isFound ||= wanted.some((keyword) => Object.hasOwn(inner, keyword));
    return mapSubschemas(inner, visit);
  };
  visit(schema);
  return isFound;
}

/** No value fits an empty enum. */
function withoutEmptyEnum(schema: SchemaObject): SchemaObject {
  const { enum: values, not: excluded, ...rest } = schema;
  if (!Array.isArray(values) || values.length > 0) return schema;
  return { ...rest, not: excluded === undefined ? {} : { anyOf: [excluded, {}] } };
}

function withOwnNames(schema: SchemaObject): SchemaObject {
  const { properties, patternProperties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, "__proto__")) return schema;
  const own = Object.getOwnPropertyDescriptor(properties, "__proto__")!.value;
  const others = isObject(patternProperties) ? patternProperties : {};
  return { ...schema, patternProperties: { ...others, "^__proto__$": own } };
}

function withRule(schema: SchemaObject, added: unknown): SchemaObject {
  const { allOf } = schema;
  return { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), added] };
}

/**
 * The schema with `anyOf` in place of `if`. ajv takes as evaluated what "if" names, also where it does
 * not fit, and ignores an "if" by itself.
 */
function withBranches(schema: SchemaObject, share: (inner: unknown) => unknown): SchemaObject {
  const { if: condition, then: yes = {}, else: no = {}, ...rest } = schema;
  if (condition === undefined) return schema;
  const shared = share(condition);
  return withRule(rest, { anyOf: [{ allOf: [shared, yes] }, { allOf: [{ not: shared }, no] }] });
}

/**
 * The schema with the items that fit `contains` as evaluated items. ajv takes all items as evaluated
 * beside a `contains`. Only those that apply to each value are found: beside it and in `allOf`.
 */
function withContains(schema: SchemaObject, share: (inner: unknown) => unknown): SchemaObject {
  const { unevaluatedItems } = schema;
  if (unevaluatedItems === undefined) return schema;
  const found: unknown[] = [];
  const visit = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner;
    const { contains, minContains, maxContains, ...rest } = inner;
    if (Array.isArray(rest["allOf"])) rest["allOf"] = rest["allOf"].map(visit);
    if (contains === undefined) return rest;
    const shared = share(contains);
    found.push(shared);
    const counted = {
      contains: shared,
      ...(minContains !== undefined && { minContains }),
      ...(maxContains !== undefined && { maxContains }),
    };
    // Inside "not", it does not count for what is evaluated.
    return withRule(rest, { not: { not: counted } });
  };
  const visited = visit(schema) as SchemaObject;
  if (found.length === 0) return schema;
  return { ...visited, unevaluatedItems: { anyOf: [...found, unevaluatedItems] } };
}

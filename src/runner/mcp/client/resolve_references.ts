import { isObject } from "../../../base/json/is_object.ts";
import type { SchemaObject } from "../../../base/json/schema_ref.ts";
import { quote } from "../../../base/text/quote.ts";
import { DRAFTS } from "./schema_draft.ts";
import { mapSubschemas, type SchemaResource, SchemaResources } from "./schema_resources.ts";

/** The most schemas in the result. */
const MAX_RESOLVED = 100_000;

/** The schemas that dynamic anchors mean at a point of the evaluation: those of outer resources. */
type Scope = ReadonlyMap<string, SchemaObject>;

/** The keywords that name schemas, which are resolved, and those that only hold them. */
const NAMES = new Set([
  ...["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$ref", "$dynamicRef"],
  ...["$recursiveRef", "$defs", "definitions"],
]);

/**
 * Replaces the references of a schema by references to its own `$defs`, and removes URIs and
 * anchors. ajv does not resolve all of them as the specification says. A reference that names no
 * schema of the document allows everything; `onUnknown` gets it. A schema with references of the
 * form `#/…` only is returned as it is.
 */
export function resolveReferences(
  schema: SchemaObject,
  { isKnown, onUnknown }: {
    /** Whether a URI is that of a meta-schema, which need not be in the document. */
    isKnown: (uri: string) => boolean;
    onUnknown: (what: string) => void;
  },
): SchemaObject {
  const resources = new SchemaResources(schema);
  const defs: SchemaObject = {};
  const names = new Map<SchemaObject, Map<string, string>>();
  const waiting: (() => void)[] = [];
  const numbers = new Map<unknown, number>();
  let resolvedCount = 0;
  const numberOf = (each: unknown) => {
    if (!numbers.has(each)) numbers.set(each, numbers.size);
    return numbers.get(each)!;
  };

  /** The outermost resource decides what a dynamic anchor means. */
  const enter = (scope: Scope, { dynamicAnchors }: SchemaResource): Scope =>
    new Map([...dynamicAnchors, ...scope]);

  const referTo = (target: unknown, scope: Scope): unknown => {
    if (!isObject(target)) return target;
    const key = Array.from(scope, ([name, each]) => `${name}\0${numberOf(each)}`).sort().join("\0");
    const known = names.get(target) ?? new Map<string, string>();
    names.set(target, known);
    let name = known.get(key);
    if (name === undefined) {
      name = String(waiting.length);
      known.set(key, name);
      waiting.push(() => defs[name!] = resolve(target, scope));
    }
    return { $ref: `#/$defs/${name}` };
  };

  const follow = (from: SchemaObject, keyword: string, scope: Scope): unknown => {
    const ref = from[keyword];
    if (typeof ref !== "string") return {};
    const resource = resources.of(from);
    const uri = resources.uriOf(ref, resource);
    const place = resources.find(uri);
    if (place === undefined) {
      if (Object.hasOwn(DRAFTS, uri.replace(/#$/, "")) && isKnown(uri)) return { $ref: uri };
      onUnknown(`the reference ${quote(ref)} names no schema of this document`);
      return {};
    }
    const anchor = keyword === "$ref" ? undefined : uri.split("#", 2)[1] ?? "";
    const isDynamic = anchor !== undefined && place.resource.dynamicAnchors.has(anchor);
    const inner = enter(scope, place.resource);
    if (!isDynamic) return referTo(place.schema, inner);
    const target = inner.get(anchor)!;
    return referTo(target, enter(inner, resources.of(target)));
  };

  const resolve = (schema: SchemaObject, outer: Scope): SchemaObject => {
    if (++resolvedCount > MAX_RESOLVED) throw new Error("its references need too many schemas");
    const resource = resources.of(schema);
    const scope = resource.root === schema ? enter(outer, resource) : outer;
    const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !NAMES.has(key)));
    const own = mapSubschemas(rest, (inner) => isObject(inner) ? resolve(inner, scope) : inner);
    const found = ["$ref", "$dynamicRef", "$recursiveRef"]
      .filter((keyword) => Object.hasOwn(schema, keyword))
      .map((keyword) => follow(schema, keyword, scope));
    if (found.length === 0) return own;
    const all = own["allOf"];
    return { ...own, allOf: [...found, ...(Array.isArray(all) ? all : [])] };
  };

  if (isPlain(schema, resources)) return schema;
  const resolved = resolve(schema, new Map());
  for (let at = 0; at < waiting.length; at++) waiting[at]!();
  return { ...resolved, $defs: defs };
}

/** Whether each reference is a JSON pointer that names a schema of the only resource. */
function isPlain(schema: SchemaObject, resources: SchemaResources): boolean {
  if (resources.size > 1 || resources.root.anchors.size > 0) return false;
  let isPlain = resources.root.dynamicAnchors.size === 0;
  const visit = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      if (!Object.hasOwn(value, keyword)) continue;
      const ref = value[keyword];
      isPlain &&= keyword === "$ref" && typeof ref === "string" && /^#(?:\/|$)/.test(ref) &&
        resources.find(resources.uriOf(ref, resources.root)) !== undefined;
    }
    return mapSubschemas(value, visit);
  };
  visit(schema);
  return isPlain;
}

/** The places in a JSON Schema that references name. */
import { isObject } from "../../../base/json/is_object.ts";
import type { SchemaObject } from "../../../base/json/schema_ref.ts";

/** A schema with a URI of its own, and what it contains up to the next such schema. */
export interface SchemaResource {
  /** Its URI without a fragment. */
  uri: string;
  /** Its schema. */
  root: SchemaObject;
  /** The schemas with an `$anchor`. */
  anchors: Map<string, SchemaObject>;
  /** The schemas with a `$dynamicAnchor`; an empty name stands for `$recursiveAnchor`. */
  dynamicAnchors: Map<string, SchemaObject>;
}

/** A schema that a reference names. */
interface SchemaPlace {
  schema: unknown;
  resource: SchemaResource;
}

/** The keywords whose value is a schema, a list of schemas, or an object of schemas. */
const [ONE, LIST, MAP] = [
  new Set([
    ...["items", "additionalItems", "additionalProperties", "unevaluatedItems", "contains"],
    ...["unevaluatedProperties", "propertyNames", "not", "if", "then", "else", "contentSchema"],
  ]),
  new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]),
  new Set([
    ...["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs"],
    "definitions",
  ]),
];

/** Replaces each schema that is directly inside a schema, and keeps all other values. */
export function mapSubschemas(
  schema: SchemaObject,
  map: (inner: unknown) => unknown,
): SchemaObject {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (LIST.has(key) && Array.isArray(value)) return [key, value.map(map)];
    if (ONE.has(key)) return [key, map(value)];
    if (!MAP.has(key) || !isObject(value)) return [key, value];
    // A list in "dependencies" has names of properties.
    const inner = Object.entries(value).map((
      [name, each],
    ) => [name, Array.isArray(each) ? each : map(each)]);
    return [key, Object.fromEntries(inner)];
  });
  return Object.fromEntries(entries);
}

/** The URI of a schema without one. */
const NO_URI = "https://schema.invalid/";

/** All resources of a schema, and the resource of each of its schemas. */
export class SchemaResources {
  #byUri = new Map<string, SchemaResource>();
  #ofSchema = new Map<unknown, SchemaResource>();
  /** The resource of the whole schema. */
  readonly root: SchemaResource;

  /** Takes the schema. */
  constructor(schema: SchemaObject) {
    this.root = this.#add(schema, NO_URI);
    this.#index(schema, this.root);
  }

  /** The number of its resources. */
  get size(): number {
    return this.#byUri.size;
  }

  /** The resource that contains a schema. */
  of(schema: unknown): SchemaResource {
    return this.#ofSchema.get(schema) ?? this.root;
  }

  /** The absolute URI of a reference in a schema. */
  uriOf(ref: string, from: SchemaResource): string {
    return URL.parse(ref, from.uri)?.href ?? ref;
  }

  /** The schema that a URI names, or `undefined` if it is not in this document. */
  find(uri: string): SchemaPlace | undefined {
    const [address, fragment = ""] = uri.split("#", 2) as [string, string?];
    const resource = this.#byUri.get(address);
    const name = decoded(fragment);
    if (resource === undefined || name === undefined) return undefined;
    if (name === "") return { schema: resource.root, resource };
    if (name.startsWith("/")) return this.#at(name, resource);
    const schema = resource.anchors.get(name) ?? resource.dynamicAnchors.get(name);
    return schema && { schema, resource };
  }

  #at(pointer: string, start: SchemaResource): SchemaPlace | undefined {
    let [schema, resource]: [unknown, SchemaResource] = [start.root, start];
    for (const part of pointer.slice(1).split("/")) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) {
        return undefined;
      }
      schema = (schema as SchemaObject)[key];
      resource = this.#ofSchema.get(schema) ?? resource;
    }
    if (!this.#ofSchema.has(schema) && isObject(schema)) this.#index(schema, resource);
    return { schema, resource };
  }

  #add(schema: SchemaObject, base: string): SchemaResource {
    const id = typeof schema["$id"] === "string" ? schema["$id"] : "";
    const uri = (URL.parse(id, base)?.href ?? base).replace(/#.*$/, "");
    const resource = { uri, root: schema, anchors: new Map(), dynamicAnchors: new Map() };
    if (!this.#byUri.has(uri)) this.#byUri.set(uri, resource);
    return resource;
  }

  #index(schema: SchemaObject, resource: SchemaResource): void {
    this.#ofSchema.set(schema, resource);
    const { $anchor, $dynamicAnchor, $recursiveAnchor, $id } = schema;
    if (typeof $anchor === "string") resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") resource.dynamicAnchors.set($dynamicAnchor, schema);
    if ($recursiveAnchor === true) resource.dynamicAnchors.set("", schema);
    // Up to draft 7, an "$id" that is a fragment is an anchor.
    if (typeof $id === "string" && $id.startsWith("#")) resource.anchors.set($id.slice(1), schema);
    mapSubschemas(schema, (inner) => {
      if (!isObject(inner)) return inner;
      const { $id } = inner;
      const isResource = typeof $id === "string" && !$id.startsWith("#");
      this.#index(inner, isResource ? this.#add(inner, resource.uri) : resource);
      return inner;
    });
  }
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

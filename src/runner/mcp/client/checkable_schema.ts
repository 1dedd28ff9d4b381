import type { Ajv } from "ajv";
import { isObject } from "../../../base/json/is_object.ts";
import type { SchemaObject } from "../../../base/json/schema_ref.ts";
import { quote } from "../../../base/text/quote.ts";
import { adaptedSchema } from "./adapted_schema.ts";
import { DRAFTS, type SchemaDraft } from "./schema_draft.ts";
import { resolveReferences } from "./resolve_references.ts";
import { mapSubschemas } from "./schema_resources.ts";

/** The most wrong values of a schema that are left out. */
const MAX_WRONG = 100;

/** A schema that ajv can compile, and what it does not check of the original. */
export interface CheckableSchema {
  /** The part that can be checked. */
  schema: SchemaObject;
  /** A sentence for each part of the original that is not checked. */
  unchecked: string[];
}

/**
 * Makes a schema of any draft one that ajv can compile and checks as the specification says. Leaves
 * out each part that is wrong, such as `required: true`, so that the rest is checked.
 */
export function checkableSchema(
  schema: SchemaObject,
  { ajv, draft }: {
    ajv: Pick<Ajv, "validateSchema" | "getSchema" | "errors">;
    draft: SchemaDraft;
  },
): CheckableSchema {
  const unchecked: string[] = [];
  // With `$async` the validator would return a promise, which is always truthy.
  const { $schema, $async: _, ...rest } = schema;
  if ($schema !== undefined && draftNamed($schema) === undefined) {
    unchecked.push(`its draft ${quote(String($schema))} is unknown, and it is read as ${draft}`);
  }
  const modern = current(rest, draft);
  const valid = withoutWrongValues(modern, { ajv, unchecked });
  const resolved = resolveReferences(valid, {
    isKnown: (uri) => ajv.getSchema(uri) !== undefined,
    onUnknown: (what) => unchecked.push(what),
  });
  return { schema: adaptedSchema(resolved), unchecked: [...new Set(unchecked)] };
}

/** The draft of a schema; 2020-12 if it names none or an unknown one. */
export function draftOf({ $schema }: SchemaObject): SchemaDraft {
  return draftNamed($schema) ?? "2020-12";
}

function draftNamed($schema: unknown): SchemaDraft | undefined {
  const uri = String($schema).replace(/^https:/, "http:").replace(/#$/, "");
  return new Map(
    Object.entries(DRAFTS).map(([uri, draft]) => [uri.replace(/^https:/, "http:"), draft]),
  ).get(uri);
}

/** The schema with the keywords of later drafts: those of draft 4, and lists in `items`. */
function current(schema: SchemaObject, draft: SchemaDraft): SchemaObject {
  const { id, exclusiveMinimum, exclusiveMaximum, items, additionalItems, ...rest } = mapSubschemas(
    schema,
    (inner) => isObject(inner) ? current(inner, draft) : inner,
  );
  const given = { id, exclusiveMinimum, exclusiveMaximum, items, additionalItems };
  const isOld = draft === "draft-04";
  if (isOld && typeof id === "string") Object.assign(given, { id: undefined, $id: id });
  const bound = (name: "minimum" | "maximum", exclusive: unknown, key: string) => {
    if (typeof exclusive !== "boolean") return;
    Object.assign(given, { [key]: exclusive ? rest[name] : undefined });
    if (exclusive) delete rest[name];
  };
  bound("minimum", exclusiveMinimum, "exclusiveMinimum");
  bound("maximum", exclusiveMaximum, "exclusiveMaximum");
  // Many schemas that name no draft are of draft 7.
  if (draft === "2020-12" && Array.isArray(items)) {
    Object.assign(given, {
      items: additionalItems,
      additionalItems: undefined,
      prefixItems: items,
    });
  }
  const kept = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(kept) };
}

/** The schema without the values that its draft does not allow. */
function withoutWrongValues(
  schema: SchemaObject,
  { ajv, unchecked }: { ajv: Pick<Ajv, "validateSchema" | "errors">; unchecked: string[] },
): SchemaObject {
  let isCopy = false;
  for (let count = 0; !ajv.validateSchema(schema); count++) {
    const deepest = (ajv.errors ?? []).toSorted((a, b) =>
      b.instancePath.split("/").length - a.instancePath.split("/").length
    )[0];
    if (deepest === undefined || deepest.instancePath === "" || count === MAX_WRONG) {
      throw new Error(`it is no JSON Schema: ${deepest?.message ?? "invalid"}`);
    }
    if (!isCopy) {
      schema = structuredClone(schema);
    }
    isCopy = true;
    unchecked.push(`${deepest.instancePath} is wrong: it ${deepest.message}`);
    remove(schema, deepest.instancePath);
  }
  return schema;
}

function remove(schema: SchemaObject, pointer: string): void {
  const keys = pointer.slice(1).split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = keys.pop()!;
  let holder: unknown = schema;
  for (const key of keys) holder = (holder as SchemaObject)[key];
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as SchemaObject)[last];
}

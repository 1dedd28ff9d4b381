import { isObject } from "../../../base/json/is_object.ts";
import { type JsonObject, keywordNote } from "./definition.ts";
import { followRefs } from "../../../base/json/schema_ref.ts";
import { toValidSchema } from "./valid_schema.ts";

/** A tool's schema whose outermost level is a plain object. */
export interface ObjectSchema {
  /** The schema: `type` is `object`, `properties` is there. */
  schema: JsonObject & { properties: JsonObject };
  /** The constraints that the top level cannot express, in words. */
  notes: string[];
  /** All constraints that the schema does not express, with their places. */
  losses: string[];
}

/** Keywords that the APIs refuse at the outermost level. */
const REFUSED = ["enum", "const", "not"];

/**
 * Converts any JSON Schema into one that models' APIs accept for arguments: an object at the top
 * level, without a choice there. The properties of all alternatives are included. A note says that
 * one of the alternatives has to fit.
 */
export function toObjectSchema(given: unknown): ObjectSchema {
  const losses: string[] = [];
  const notes: string[] = [];
  if (!isObject(given) && given !== true) {
    notes.push(keywordNote("not a schema of an object:", given));
  }
  const root = toValidSchema(isObject(given) ? given : {}, losses);
  const schema = followRefs(root, root) ?? {};
  const { allOf, anyOf, oneOf, ...flat } = schema;
  for (const keyword of REFUSED) {
    if (!Object.hasOwn(flat, keyword)) continue;
    notes.push(keywordNote(keyword, flat[keyword]));
    delete flat[keyword];
  }
  const whole: ObjectSchema["schema"] = {
    ...flat,
    // The targets of `$ref` keep their places.
    ...(root["$defs"] !== undefined && { $defs: root["$defs"] }),
    ...(root["definitions"] !== undefined && { definitions: root["definitions"] }),
    type: "object",
    properties: { ...(isObject(flat["properties"]) ? flat["properties"] : {}) },
  };
  const parts = (list: unknown) =>
    (Array.isArray(list) ? list : []).map((part) =>
      followRefs(isObject(part) ? part : {}, root) ?? {}
    );
  for (const part of parts(allOf)) {
    addProperties(whole, part, "allOf");
    whole["required"] = [...new Set([...required(whole), ...required(part)])];
    const { properties: _, required: __, type: ___, description: ____, ...rest } = part;
    notes.push(...Object.entries(rest).map(([keyword, value]) => keywordNote(keyword, value)));
  }
  for (const [keyword, list] of Object.entries({ anyOf, oneOf })) {
    const branches = parts(list);
    if (branches.length === 0) continue;
    for (const branch of branches) addProperties(whole, branch, "anyOf");
    const always = required(branches[0]!).filter((key) =>
      branches.every((branch) => required(branch).includes(key))
    );
    whole["required"] = [...new Set([...required(whole), ...always])];
    notes.push(
      keywordNote(`${keyword === "anyOf" ? "one" : "exactly one"} of these must match:`, list),
    );
  }
  if (required(whole).length === 0) delete whole["required"];
  losses.push(...notes.map((note) => `/: ${note}`));
  return { schema: whole, notes, losses };
}

function addProperties(whole: ObjectSchema["schema"], part: JsonObject, both: "allOf" | "anyOf") {
  if (!isObject(part["properties"])) return;
  for (const [key, property] of Object.entries(part["properties"])) {
    const before = Object.hasOwn(whole.properties, key) ? whole.properties[key] : undefined;
    const isNew = before === undefined || JSON.stringify(before) === JSON.stringify(property);
    whole.properties[key] = isNew ? property : { [both]: [before, property] };
  }
}

function required(schema: JsonObject): string[] {
  return Array.isArray(schema["required"]) ? schema["required"] : [];
}

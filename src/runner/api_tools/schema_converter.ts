/** Schemas of OpenAPI documents as JSON Schema. */

import { isObject } from "../../base/json/is_object.ts";
import { valueAtFragment } from "../../base/json/json_pointer.ts";
import { quote } from "../../base/text/quote.ts";
import type { DocumentPart } from "./document.ts";

/** The most schemas that one operation may refer to. */
const MAX_DEFINITIONS = 1_000;

/** Converts schemas of a document to JSON Schema 2020-12, with the definitions that they need. */
export class SchemaConverter {
  #names = new Map<string, string>();
  #definitions: DocumentPart = {};
  #isOld: boolean;

  /** Takes the document. */
  constructor(readonly document: DocumentPart) {
    this.#isOld = String(document["openapi"]).startsWith("3.0");
  }

  /** The definitions that the converted schemas refer to. */
  definitions(): DocumentPart {
    return this.#names.size === 0 ? {} : { $defs: this.#definitions };
  }

  /** Converts a schema. Throws for a reference to another document. */
  convert(schema: unknown): DocumentPart {
    if (schema === false) return { not: {} };
    if (!isObject(schema)) return {};
    const { $ref } = schema;
    if (typeof $ref === "string") {
      const beside = this.#isOld ? {} : this.#keywords({ ...schema, $ref: undefined });
      return { ...beside, $ref: this.#define($ref) };
    }
    return this.#keywords(schema);
  }

  /** The reference to the definition of a part of the document. */
  #define(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return `#/$defs/${known}`;
    if (!reference.startsWith("#/")) {
      throw new Error(`the reference ${quote(reference, 200)} leads to another document`);
    }
    if (this.#names.size === MAX_DEFINITIONS) throw new Error("its schemas are too many");
    const last = reference.slice(reference.lastIndexOf("/") + 1).replace(/\W+/g, "_");
    const name = [...this.#names.values()].includes(last) ? `${last}_${this.#names.size}` : last;
    // A schema may refer to itself, so its name is known before it is converted.
    this.#names.set(reference, name);
    this.#definitions[name] = this.convert(valueAtFragment(this.document, reference));
    return `#/$defs/${name}`;
  }

  #keywords(schema: DocumentPart): DocumentPart {
    const result: DocumentPart = {};
    for (const [key, value] of Object.entries(schema)) {
      if (value === undefined || DROPPED.includes(key)) continue;
      if (SCHEMA_KEYS.includes(key)) {
        result[key] = isObject(value) ? this.convert(value) : value;
      } else if (LIST_KEYS.includes(key) && Array.isArray(value)) {
        result[key] = value.map((each) => this.convert(each));
      } else if (MAP_KEYS.includes(key) && isObject(value)) {
        result[key] = Object.fromEntries(
          Object.entries(value).map(([name, each]) => [name, this.convert(each)]),
        );
      } else result[key] = value;
    }
    return this.#isOld ? modernised(result, schema) : result;
  }
}

/** Keywords that say nothing about a request. */
const DROPPED = ["discriminator", "xml", "externalDocs", "example", "nullable", "$schema", "$id"];
const SCHEMA_KEYS = ["items", "additionalProperties", "not", "if", "then", "else", "contains"];
const LIST_KEYS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAP_KEYS = ["properties", "patternProperties", "$defs", "dependentSchemas"];

/** The keywords of OpenAPI 3.0 that JSON Schema writes in another way. */
function modernised(result: DocumentPart, { nullable }: DocumentPart): DocumentPart {
  for (const [flag, limit] of [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]]) {
    const value = result[flag!];
    if (typeof value !== "boolean") continue;
    delete result[flag!];
    if (!value || result[limit!] === undefined) continue;
    result[flag!] = result[limit!];
    delete result[limit!];
  }
  if (nullable !== true) return result;
  if (Array.isArray(result["enum"])) result["enum"] = [...new Set([...result["enum"], null])];
  if (typeof result["type"] === "string") return { ...result, type: [result["type"], "null"] };
  return result["enum"] === undefined ? { anyOf: [result, { type: "null" }] } : result;
}

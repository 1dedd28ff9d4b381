/** OpenAPI documents, versions 3.0 and 3.1: https://spec.openapis.org/oas/v3.1.1.html */

import { isObject } from "../../base/json/is_object.ts";
import { valueAtFragment } from "../../base/json/json_pointer.ts";
import { quote } from "../../base/text/quote.ts";

/** A JSON object in a document. */
export type DocumentPart = Record<string, unknown>;

/** The methods of operations. */
export const METHODS: readonly string[] = [
  ...["get", "put", "post", "delete", "options", "head", "patch", "trace"],
];

/** The most references that lead from one to the next. */
const MAX_STEPS = 32;

/** An operation of a document. */
export interface Operation {
  /** The method, in capitals. */
  method: string;
  /** The path template, such as `/pets/{id}`. */
  path: string;
  /** The parameters of the path and of the operation. The operation's own win. */
  parameters: readonly DocumentPart[];
  /** The operation. */
  operation: DocumentPart;
  /** The servers of the operation or its path, if they name any. */
  servers: readonly unknown[];
  /** The reason why a part of it cannot be read. */
  fault?: string;
}

/** Throws if a value is no OpenAPI document of version 3. */
export function checkDocument(value: unknown): asserts value is DocumentPart {
  if (!isObject(value)) throw new Error("it is no JSON or YAML object");
  const { openapi, swagger, paths } = value;
  if (typeof swagger === "string") {
    throw new Error(`it has version ${quote(swagger, 20)}; convert it to OpenAPI 3`);
  }
  if (typeof openapi !== "string" || !/^3\.[0-2]\./.test(`${openapi}.`)) {
    throw new Error('it has no "openapi" of version 3');
  }
  if (!isObject(paths)) throw new Error('it has no "paths"');
}

/** The value, or the part of the document that its `$ref` names. Nothing else is read. */
export function follow(value: unknown, document: DocumentPart): DocumentPart {
  let found = value;
  for (let steps = 0; isObject(found) && typeof found["$ref"] === "string"; steps++) {
    const reference = found["$ref"];
    if (!reference.startsWith("#/")) {
      throw new Error(`the reference ${quote(reference, 200)} leads to another document`);
    }
    if (steps === MAX_STEPS) throw new Error(`the reference ${quote(reference, 200)} is a circle`);
    found = valueAtFragment(document, reference);
  }
  return isObject(found) ? found : {};
}

/** The operations of a document, in its order. */
export function operationsOf(document: DocumentPart): Operation[] {
  return Object.entries(document["paths"] as DocumentPart).flatMap(([path, given]) => {
    if (!path.startsWith("/")) return [];
    let item: DocumentPart;
    try {
      item = follow(given, document);
    } catch (error) {
      const fault = (error as Error).message;
      return [{ method: "*", path, operation: {}, parameters: [], servers: [], fault }];
    }
    return METHODS.flatMap((method) => {
      const operation = item[method];
      if (!isObject(operation)) return [];
      const servers = listOf(operation["servers"] ?? item["servers"]);
      const found = { method: method.toUpperCase(), path, operation, servers };
      const given = [...listOf(item["parameters"]), ...listOf(operation["parameters"])];
      try {
        return [{ ...found, parameters: parametersOf(given, document) }];
      } catch (error) {
        return [{ ...found, parameters: [], fault: (error as Error).message }];
      }
    });
  });
}

/** The parameters of a list. A later one replaces one with the same name and place. */
function parametersOf(given: readonly unknown[], document: DocumentPart): DocumentPart[] {
  const byName = new Map<string, DocumentPart>();
  for (const each of given) {
    const parameter = follow(each, document);
    byName.set(`${parameter["in"]} ${parameter["name"]}`, parameter);
  }
  return [...byName.values()];
}

/**
 * The first server of a list as a URL, with the defaults of its variables. A relative URL is resolved
 * against `base`. Returns undefined without such a URL.
 */
export function serverUrl(servers: readonly unknown[], base?: URL): URL | undefined {
  const [server = { url: "/" }] = servers;
  if (!isObject(server) || typeof server["url"] !== "string") return undefined;
  const variables = isObject(server["variables"]) ? server["variables"] : {};
  const text = server["url"].replace(/\{([^{}]*)\}/g, (_, name) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) ? String(variable["default"] ?? "") : "";
  });
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  [url.search, url.hash] = ["", ""];
  return url;
}

/** A list, or an empty one. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

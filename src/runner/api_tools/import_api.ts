/** Makes the configuration of an API from its OpenAPI document. */

import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { ApiConfig } from "./api_config.ts";
import { serverOf } from "./api_tool.ts";
import { convertOperation } from "./api_schema.ts";
import { chosenSchemes, schemesOf } from "./credentials.ts";
import {
  checkDocument,
  type DocumentPart,
  listOf,
  type Operation,
  operationsOf,
  serverUrl,
} from "./document.ts";

/** The most characters of a tool's name. */
const MAX_NAME = 64;

/** The most operations of a document. */
const MAX_OPERATIONS = 2_000;

/** An API that can be added. */
export interface ImportedApi {
  /** Its name. */
  name: string;
  /** Its entry, without the place of the document. */
  config: Omit<ApiConfig, "document">;
  /** Tools without a credential that their operation needs. */
  withoutCredential: readonly string[];
  /** The operations that become no tool, each with the reason. */
  omitted: readonly { operation: string; why: string }[];
}

/**
 * The API of a document. `base` is the address of the document, and `server` replaces its servers.
 * Throws an error that says why the document cannot be used.
 */
export function importApi(
  document: unknown,
  { name: given, base, server: chosen }: { name?: string; base?: URL; server?: string },
): ImportedApi {
  checkDocument(document);
  const name = given ?? apiName(document);
  if (!/^[A-Za-z][A-Za-z0-9_]{0,31}$/.test(name)) {
    throw new Error(
      `${
        quote(name, 80)
      } is no name of an API; use 1 to 32 letters, digits and "_", beginning with a letter`,
    );
  }
  const servers = chosen === undefined ? listOf(document["servers"]) : [{ url: chosen }];
  const url = serverUrl(servers, base);
  if (url === undefined) {
    throw new Error("its server has no http or https URL; give one with --server=URL");
  }
  const server = url.href.replace(/\/$/, "");
  const credentials = Object.fromEntries(
    [...schemesOf(document).keys()].map((scheme) => [scheme, variableOf(name, scheme)]),
  );
  const tools = new Map<string, string>();
  const omitted: { operation: string; why: string }[] = [];
  const withoutCredential: string[] = [];
  const used = new Set<string>();
  const operations = operationsOf(document);
  if (operations.length > MAX_OPERATIONS) {
    throw new Error(`it has more than ${MAX_OPERATIONS} operations`);
  }
  for (const operation of operations) {
    const text = `${operation.method} ${operation.path}`;
    try {
      serverOf(operation, { server });
      convertOperation(operation, document);
    } catch (error) {
      omitted.push({ operation: text, why: (error as Error).message });
      continue;
    }
    const tool = toolName(name, operation, tools);
    tools.set(tool, text);
    const schemes = chosenSchemes(operation.operation, document, credentials);
    schemes.forEach(({ scheme }) => used.add(scheme));
    if (schemes.length === 0 && needsCredential(operation, document)) withoutCredential.push(tool);
  }
  if (tools.size === 0) throw new Error("it has no operation that can become a tool");
  const variables = Object.entries(credentials).filter(([scheme]) => used.has(scheme));
  return {
    name,
    config: {
      server,
      ...(variables.length > 0 && { credentials: Object.fromEntries(variables) }),
      tools: Object.fromEntries(tools),
    },
    ...{ omitted, withoutCredential },
  };
}

function needsCredential({ operation }: Operation, document: DocumentPart): boolean {
  const alternatives = listOf(operation["security"] ?? document["security"]);
  return alternatives.length > 0 &&
    alternatives.every((each) => isObject(each) && Object.keys(each).length > 0);
}

/** The name of an API, from its title. */
function apiName({ info }: DocumentPart): string {
  const title = isObject(info) ? String(info["title"] ?? "") : "";
  const name = snakeCase(title).replace(/_(?:open)?_?api$/, "").slice(0, 32).replace(/_$/, "");
  return /^[a-z]/.test(name) ? name : "api";
}

/** The variable for a credential, such as `PETSTORE_API_KEY`. */
function variableOf(api: string, scheme: string): string {
  const name = snakeCase(scheme).toUpperCase() || "TOKEN";
  const prefix = api.toUpperCase();
  return name.startsWith(`${prefix}_`) ? name : `${prefix}_${name}`;
}

/** A name for the tool of an operation: its id, or its method and path. It differs from the others. */
function toolName(
  api: string,
  { operation: { operationId }, method, path }: Operation,
  taken: ReadonlyMap<string, string>,
): string {
  const own = snakeCase(typeof operationId === "string" ? operationId : "") ||
    snakeCase(`${method} ${path.replaceAll("{", "by ")}`);
  const whole = own.startsWith(`${api.toLowerCase()}_`) ? own : `${api}_${own}`;
  for (let count = 1;; count++) {
    const suffix = count === 1 ? "" : `_${count}`;
    const name = whole.slice(0, MAX_NAME - suffix.length).replace(/_+$/, "") + suffix;
    if (!taken.has(name)) return name;
  }
}

/** Words in lower case with `_` between them: `listPets by-Owner` becomes `list_pets_by_owner`. */
function snakeCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "").toLowerCase();
}

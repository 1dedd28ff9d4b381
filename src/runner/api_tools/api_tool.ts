import { CallError } from "../../base/errors.ts";
import { neededHost, webUrl } from "../../base/host.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import { entryTool, type RegisteredApiTool } from "./worker_request.ts";
import type { ToolDefinition } from "../registry/define.ts";
import { metadataOf, type ToolMetadata } from "../registry/registered_tool.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import type { ApiConfig } from "./api_config.ts";
import { buildRequest } from "./api_request.ts";
import { convertOperation } from "./api_schema.ts";
import { chosenSchemes, credentialsOf } from "./credentials.ts";
import {
  checkDocument,
  type DocumentPart,
  type Operation,
  operationsOf,
  serverUrl,
} from "./document.ts";

/** A tool of an API as a configuration file has it. */
export interface ApiSource {
  /** The name of the tool. */
  name: string;
  /** The name of the API. */
  api: string;
  /** The operation, as `GET /pets/{id}`. */
  operation: string;
  /** The absolute path of the document. */
  document: string;
  /** The entry of the API. */
  config: ApiConfig;
}

/** The most characters of a description. Models read it in each request. */
const MAX_DESCRIPTION = 600;

/** The last document, because the tools of an API are often loaded together. */
let last: ReadDocument | undefined;

/** A document that was read. */
interface ReadDocument {
  path: string;
  document: DocumentPart;
  operations: ReadonlyMap<string, Operation>;
}

/** Makes the tool of an operation. Throws `unavailable` if its document cannot be used. */
export function apiTool(source: ApiSource): RegisteredApiTool {
  const { api, document: path } = source;
  try {
    return toolOf(source, readDocument(path));
  } catch (error) {
    if (error instanceof CallError) throw error;
    const message = `Cannot use the document ${quotePath(path)} of the API ${quote(api)}: ` +
      `${osErrorMessage(error)}; add the API again`;
    throw new CallError("unavailable", message, { tool: source.name });
  }
}

function readDocument(path: string): ReadDocument {
  const { mtime } = Deno.statSync(path);
  const key = `${path} ${mtime?.getTime()}`;
  if (last?.path === key) return last;
  const document = JSON.parse(Deno.readTextFileSync(path));
  checkDocument(document);
  const operations = operationsOf(document).map((each) =>
    [`${each.method} ${each.path}`, each] as const
  );
  return last = { path: key, document, operations: new Map(operations) };
}

function toolOf(
  { name, operation: text, config }: ApiSource,
  { document, operations }: ReadDocument,
): RegisteredApiTool {
  const operation = operations.get(text);
  if (operation === undefined) throw new Error(`it has no operation ${quote(text, 200)}`);
  const inRequest = convertOperation(operation, document);
  const server = serverOf(operation, config);
  const variables = config.credentials ?? {};
  const schemes = chosenSchemes(operation.operation, document, variables);
  const { method, path } = operation;
  const requestOf = (args: Readonly<Record<string, unknown>>, tool?: string) =>
    buildRequest({
      ...{ method, path, server, args, operation: inRequest },
      credentials: tool === undefined
        ? []
        : credentialsOf(schemes, { variables, environment: callersEnvironment(), tool }),
    });
  const definition: ToolDefinition = {
    ...declaration(name, operation),
    inputSchema: inRequest.inputSchema,
    permissions: {
      kinds: ["net"],
      needs(args) {
        // Arguments that no request can have are refused before the flags are asked.
        requestOf(args);
        return [{ name: "net", host: neededHost(server) }];
      },
    },
    ...(config.timeoutMs !== undefined && { timeoutMs: config.timeoutMs }),
  };
  return entryTool(definition, (args) => requestOf(args, name));
}

/**
 * The server of an operation. The document may name another one for it, but only on the same host:
 * the credentials and the permissions are for that of the configuration.
 */
export function serverOf({ servers }: Operation, { server }: Pick<ApiConfig, "server">): URL {
  const base = webUrl(server);
  if (base === undefined) {
    throw new Error(`the server ${quote(server, 200)} is no http or https URL`);
  }
  if (servers.length === 0) return base;
  const own = serverUrl(servers, base);
  if (own?.origin === base.origin) return own;
  throw new Error(`the operation names another server than ${quote(base.origin)}`);
}

/** The declaration of a tool that cannot be used: without a description it is never listed. */
export function hiddenApiMetadata(name: string): ToolMetadata {
  const operation = { method: "GET", path: "/", operation: {}, parameters: [], servers: [] };
  const { description: _, ...hidden } = metadataOf(declaration(name, operation));
  return hidden;
}

function declaration(name: string, { method, path, operation }: Operation): ToolDefinition {
  const { summary, description } = operation;
  const said = [summary, description].filter((text) => typeof text === "string" && text !== "");
  const text = said.join(". ").replace(/\s+/g, " ").replace(/\.\. /g, ". ").trim();
  const isSafe = method === "GET" || method === "HEAD";
  return {
    name,
    title: typeof summary === "string" ? summary.slice(0, 80) : `${method} ${path}`,
    description: cut(
      text === "" ? `Sends ${method} ${path}.` : /[.!?]$/.test(text) ? text : `${text}.`,
    ),
    category: "utility",
    sideEffect: "network",
    ...(!isSafe && { destructive: true }),
    idempotent: isSafe || method === "PUT" || method === "DELETE",
    optionality: "optional",
    usageHint: "",
    inputSchema: { type: "object" },
    examples: [],
    permissions: { kinds: ["net"], needs: () => [] },
    run() {
      throw new CallError("unavailable", `Cannot call ${quote(name)} here`);
    },
  };
}

function cut(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}

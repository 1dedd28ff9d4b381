import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import { toFileUrl } from "@std/path/posix/to-file-url";
import { CallError } from "../../../base/errors.ts";
import type { CallOptions, ToolCall } from "../../call/call.ts";
import { executeCall, prepareCall } from "../../call/execute.ts";
import type { CallResult } from "../../call/failure.ts";
import { refusalOf } from "../../call/authorise.ts";
import { Registry } from "../../registry/registry.ts";
import { isDirectory } from "../../sandbox/policy/paths.ts";
import { readPlaces } from "../../sandbox/policy/read_places.ts";
import { cursorTo, decodeCursor } from "./cursor.ts";
import { protocolError } from "./protocol_error.ts";
import type { ConnectionFlags, ServerContext } from "./tools_call.ts";

/** The number of resources on one page. */
const PAGE_SIZE = 100;
/** The most directories and files of the flags that are listed. */
const MAX_PLACES = 100;

/** One request about resources. */
export interface ResourceRequest {
  /** The parts of the server that all connections share. */
  shared: ServerContext;
  /** The request, as the MCP package describes it. */
  request: RequestContext;
  /** Returns the flags of the connection, or rejects with a `CallError`. */
  flags: () => Promise<ConnectionFlags>;
}

/** Answers `resources/list` with one page of the files that the flags let calls read. */
export async function listResources(
  cursor: string | undefined,
  of: ResourceRequest,
): Promise<ListResourcesResult> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const options = await optionsOf(of);
  const places = readPlaces(options.grants, options.cwd).slice(0, MAX_PLACES);
  if (places.length === 0) return { resources: [] };
  const { list: name } = options.program.resources!;
  const args = { places, limit: PAGE_SIZE + 1, ...(after !== undefined && { after }) };
  const { content } = await execute({ name, arguments: args }, options, of);
  const found = content.filter((block) => block.type === "resource_link");
  const resources = found.slice(0, PAGE_SIZE).map(({ type: _, ...resource }) => resource);
  const isLast = found.length <= PAGE_SIZE;
  return {
    resources,
    ...(!isLast && { nextCursor: cursorTo(resources.at(-1)!.uri) }),
  };
}

/** Answers `resources/templates/list` with one template for each directory of the read grant. */
export async function listTemplates(of: ResourceRequest): Promise<ListResourceTemplatesResult> {
  const { grants, cwd } = await optionsOf(of);
  const directories = readPlaces(grants, cwd).filter(isDirectory).slice(0, MAX_PLACES);
  return {
    resourceTemplates: directories.map((directory) => ({
      uriTemplate: templateOf(directory),
      name: directory,
      description: `A file below ${directory}`,
    })),
  };
}

/** Returns the template of the addresses of the files below a directory. */
export function templateOf(directory: string): string {
  return `${toFileUrl(directory).href.replace(/\/$/, "")}/{+path}`;
}

/** Answers `resources/read`. Throws -32602 for a resource that is missing or may not be read. */
export async function readResource(
  uri: string,
  of: ResourceRequest,
): Promise<ReadResourceResult> {
  const options = await optionsOf(of);
  const { read: name } = options.program.resources!;
  const { content } = await execute({ name, arguments: { uri } }, options, of, { uri });
  const contents = content.flatMap((block) => block.type === "resource" ? [block.resource] : []);
  return { contents };
}

/** Returns the absolute paths that reading a resource reads. Throws a `CallError` for a refused one. */
export async function pathsOfResource(uri: string, given: CallOptions): Promise<string[]> {
  const options = withResourceTools(given);
  const { read: name } = options.program.resources!;
  using resources = new DisposableStack();
  const stop = new AbortController();
  const call = { name, arguments: { uri } };
  const prepared = await prepareCall(call, options, { stop, resources, repairs: [] });
  const refusal = refusalOf(prepared);
  if (refusal !== undefined) throw refusal;
  return Object.keys(prepared.paths);
}

/** Executes a call in the usual way. A failure is an error of the protocol, with `data`. */
async function execute(
  call: ToolCall,
  options: CallOptions,
  { shared, request }: ResourceRequest,
  data: Record<string, unknown> = {},
): Promise<CallResult> {
  const { signal } = request.mcpReq;
  const result = await shared.semaphore.run(() => executeCall(call, options), signal);
  if (!result.isError) return result;
  const { code = "internal", ...details } = result._meta?.["toolcall/error"] ?? {};
  const [block] = result.content;
  const message = block?.type === "text" ? block.text : "Cannot read the resource";
  throw protocolError(new CallError(code, message, details), data);
}

async function optionsOf({ shared, request, flags }: ResourceRequest): Promise<CallOptions> {
  return withResourceTools({
    ...shared.options,
    ...await flags(),
    listeners: { cancelSignal: () => request.mcpReq.signal },
  });
}

/** The flags for tools do not leave out the tools for resources, which no model calls. */
function withResourceTools(options: CallOptions): CallOptions {
  const { list, read } = options.program.resources!;
  const tools = options.registry.all().filter(({ name }) => [list, read].includes(name));
  return { ...options, registry: new Registry(tools) };
}

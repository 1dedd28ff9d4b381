import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext as RequestContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { delay } from "@std/async/delay";
import { CallError } from "../../../base/errors.ts";
import { version } from "../../../base/version.ts";
import type { CallOptions } from "../../call/call.ts";
import { rejectCall } from "../../call/execute.ts";
import { argumentsOf, shapes } from "../../dialect/mcp.ts";
import { toMcp } from "../../schema/definitions/mcp.ts";
import { ClientQuestions } from "./client_questions.ts";
import { ClientRoots } from "./client_roots.ts";
import type { ServerContext } from "./server_context.ts";
import { handleToolsCall } from "./tools_call.ts";

/** The number of tools on one page of `tools/list`. */
const PAGE_SIZE = 50;

/** The longest wait of `tools/list` for the tools of other servers, in milliseconds. */
const LIST_MS = 5_000;

const INSTRUCTIONS =
  "Tools run under the permission flags that the server was started with. A refusal names the flag " +
  "that would allow the call: tell it to the person, who can restart the server with it.";

/**
 * Creates a server for one connection, or for one request of a client without sessions. It offers
 * the tools of the registry.
 *
 * @see https://modelcontextprotocol.io/specification, "Server Features", "Tools"
 */
export function createServer(shared: ServerContext): Server {
  const { registry } = shared.settings;
  const server = new AuditedServer(shared.settings, {
    capabilities: { tools: { listChanged: true }, logging: {} },
    instructions: INSTRUCTIONS,
    debouncedNotificationMethods: ["notifications/tools/list_changed"],
  });
  const roots = new ClientRoots(server, shared);
  server.setRequestHandler("tools/list", async ({ params }) => {
    // The tools of a slower server are announced by a notification later.
    await Promise.race([shared.toolsListed, delay(LIST_MS)]);
    const tools = await registry.list();
    const names = registry.namesForApis();
    const outputs = shared.settings.structured
      ? (await import("../../registry/published_outputs.ts")).publishedOutputs
      : {};
    const start = startOf(params?.cursor, tools);
    const next = tools[start + PAGE_SIZE];
    const page = tools.slice(start, start + PAGE_SIZE);
    return {
      tools: page.map((tool) => toMcp(tool, names.get(tool.name)!, outputs)) as never,
      ...(next && { nextCursor: cursorTo(next.name) }),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, request) => {
    const { name, arguments: args = {} } = params;
    return await handleToolsCall({ name, arguments: args }, {
      ...{ shared, server, request },
      flags: () => roots.flags(request),
      questions: new ClientQuestions(server, request),
    });
  });
  const unsubscribe = registry.subscribe(() => void server.sendToolListChanged().catch(() => {}));
  server.onclose = unsubscribe;
  return server;
}

/** Encodes the name of the page's first tool, so that tools registered later do not shift pages. */
function cursorTo(name: string): string {
  return new TextEncoder().encode(name).toBase64();
}

/** Returns the index where the page of a cursor starts. Throws -32602 for an invalid cursor. */
function startOf(cursor: string | undefined, tools: readonly { name: string }[]): number {
  if (cursor === undefined) return 0;
  try {
    const name = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(cursor));
    const at = tools.findIndex((tool) => tool.name >= name);
    return at < 0 ? tools.length : at;
  } catch {
    const message = "The cursor is none that this server gave; ask for the first page without one";
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
}

type Handler = (request: JSONRPCRequest, context: RequestContext) => Promise<Result>;

/** The SDK's server, which also audits a `tools/call` that the SDK itself refuses. */
class AuditedServer extends Server {
  #settings: CallOptions;

  constructor(settings: CallOptions, options: ServerOptions) {
    super({ name: "toolcall", title: "toolcall", version }, options);
    this.#settings = settings;
  }

  /** The SDK refuses an invalid request before the handler sees it, and has no other hook. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    return async (request, context) => {
      let isCall = false;
      const wrapped = super._wrapHandler(method, async (...given) => {
        isCall = true;
        return await handler(...given);
      });
      try {
        await refuseUnknownKeys(request.params);
        return await wrapped(request, context);
      } catch (error) {
        const name = request.params?.["name"];
        const failure = new CallError("malformed_call", (error as Error).message);
        if (!isCall) {
          await rejectCall(failure, this.#settings, typeof name === "string" ? { name } : {});
        }
        throw error;
      }
    };
  }
}

/** Throws -32602 for keys that the SDK would ignore: they may hold misplaced arguments. */
async function refuseUnknownKeys(params: JSONRPCRequest["params"] = {}): Promise<void> {
  try {
    await argumentsOf(params, shapes.params);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details } = error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { ...details, code });
  }
}

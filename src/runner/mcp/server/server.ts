import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext as RequestContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import type { CallOptions, ToolCall } from "../../call/call.ts";
import type { QuickCalls } from "../../call/quick_calls.ts";
import { rejectCall } from "../../call/execute.ts";
import { parseMcpParams } from "../../dialect/mcp.ts";
import { anyValue } from "../any_value.ts";
import { verifyRequestState } from "./client_requests.ts";
import { ClientRoots } from "./client_roots.ts";
import { INSTRUCTIONS, SERVER_INFO } from "./initialize.ts";
import { setOfferHandlers } from "./offer_handlers.ts";
import { capabilitiesOf } from "./offers.ts";
import { setTaskHandlers } from "./task_handlers.ts";
import { handleToolsCall, type ServerContext } from "./tools_call.ts";
import { listTools } from "./tools_list.ts";

/**
 * Creates a server for one connection, or for one request of a client without sessions. It offers
 * the tools of the registry and, where the flags and the configuration allow it, files and prompts.
 * With `isModern` its client uses revision 2026-07-28, which has tasks.
 *
 * @see https://modelcontextprotocol.io/specification, "Server Features", "Tools"
 */
export function createServer(
  shared: ServerContext,
  { isModern = false }: { isModern?: boolean } = {},
): ToolServer {
  const server = new ToolServer(shared.options, {
    capabilities: capabilitiesOf(shared.offers, { hasExtensions: isModern }),
    instructions: INSTRUCTIONS,
    requestState: { verify: verifyRequestState },
    debouncedNotificationMethods: ["notifications/tools/list_changed"],
  });
  const roots = new ClientRoots(server, shared);
  const { upstreamNames, toolsListed, options: { registry } } = shared;
  // A quick call would be made by a name that several tools may have.
  if (upstreamNames === undefined) server.quickCalls = () => roots.quickCalls();
  server.forgetRoots = () => roots.forget();
  server.setRequestHandler("tools/list", ({ params }) => listTools(params?.cursor, shared));
  // The SDK's own schema would drop an argument such as __proto__. ToolServer has read the call.
  server.setRequestHandler("tools/call", { params: anyValue }, async (params, request) => {
    const { name: given, arguments: args } = params as ToolCall;
    await upstreamNames?.waitFor(given, toolsListed, request.mcpReq.signal);
    const name = upstreamNames?.resolve(given) ?? given;
    const flags = () => roots.narrowedFlags(request);
    return await handleToolsCall({ name, arguments: args }, { shared, server, request, flags });
  });
  if (isModern) setTaskHandlers(server, shared, (request) => roots.narrowedFlags(request));
  const offers = setOfferHandlers(server, shared, (request) => roots.narrowedFlags(request));
  const unsubscribe = registry.subscribe(() => void server.sendToolListChanged().catch(() => {}));
  server.onclose = () => {
    unsubscribe();
    offers.close();
    roots.close();
  };
  return server;
}

type Handler = (request: JSONRPCRequest, context: RequestContext) => Promise<Result>;

/** The SDK's server, which also audits a `tools/call` that the SDK itself refuses. */
export class ToolServer extends Server {
  /** Returns what answers quick calls of this connection, as soon as its client is known. */
  quickCalls: () => QuickCalls | undefined = () => undefined;
  /** Lets the next call ask for the roots of the client again. */
  forgetRoots: () => void = () => {};

  /** Takes the options of calls, and those of the library. */
  constructor(readonly callOptions: CallOptions, serverOptions: ServerOptions) {
    super(SERVER_INFO, serverOptions);
  }

  /** The SDK refuses an invalid request before the handler sees it, and has no other hook. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    return async (request, context) => {
      let isCall = false;
      let task: Result | undefined;
      const wrapped = super._wrapHandler(method, async (...given) => {
        isCall = true;
        const result = await handler(...given);
        if (result["resultType"] !== "task") return result;
        task = result;
        // The SDK would refuse a task as the result of a call.
        return { content: [] };
      });
      try {
        // The SDK would ignore unknown keys, which may hold misplaced arguments.
        const { name, arguments: args } = await readParams(request.params);
        const params = { ...request.params, name, arguments: args };
        const result = await wrapped({ ...request, params }, context);
        return task ?? result;
      } catch (error) {
        const name = request.params?.["name"];
        const failure = new CallError("malformed_call", (error as Error).message);
        if (!isCall) {
          await rejectCall(failure, this.callOptions, typeof name === "string" ? { name } : {});
        }
        throw error;
      }
    };
  }
}

/** The call in the params of a request. Rejects with an error of the protocol. */
async function readParams(params: unknown): Promise<ToolCall> {
  try {
    return await parseMcpParams(params, { isJsonRpc: true });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details } = error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { ...details, code });
  }
}

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext as RequestContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { fromFileUrl } from "@std/path/posix/from-file-url";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallOptions } from "../../call/call.ts";
import type { QuickCalls } from "../../call/quick_calls.ts";
import { rejectCall } from "../../call/execute.ts";
import { shapes } from "../../dialect/mcp.ts";
import { realPathIfAny } from "../../sandbox/policy/paths.ts";
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from "./initialize.ts";
import { errorOfKeys } from "./request_errors.ts";
import { type ConnectionFlags, handleToolsCall, type ServerContext } from "./tools_call.ts";
import { listTools } from "./tools_list.ts";

/**
 * Creates a server for one connection, or for one request of a client without sessions. It offers
 * the tools of the registry.
 *
 * @see https://modelcontextprotocol.io/specification, "Server Features", "Tools"
 */
export function createServer(shared: ServerContext): ToolServer {
  const server = new ToolServer(shared.options, {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    debouncedNotificationMethods: ["notifications/tools/list_changed"],
  });
  const roots = new ClientRoots(server, shared);
  server.quickCalls = () => roots.quickCalls();
  server.forgetRoots = () => roots.forget();
  server.setRequestHandler("tools/list", ({ params }) => listTools(params?.cursor, shared));
  server.setRequestHandler("tools/call", ({ params }, request) => {
    const { name, arguments: args = {} } = params;
    const flags = () => roots.narrowedFlags(request);
    return handleToolsCall({ name, arguments: args }, { shared, server, request, flags });
  });
  const unsubscribe = shared.options.registry.subscribe(() =>
    void server.sendToolListChanged().catch(() => {})
  );
  server.onclose = () => {
    unsubscribe();
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
      const wrapped = super._wrapHandler(method, async (...given) => {
        isCall = true;
        return await handler(...given);
      });
      try {
        // The SDK would ignore unknown keys, which may hold misplaced arguments.
        const refusal = await errorOfKeys(request.params ?? {}, shapes.params);
        if (refusal !== undefined) {
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusal.message, refusal.data);
        }
        return await wrapped(request, context);
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

/** The time that a client has to list its roots, in milliseconds. */
const ROOTS_MS = 10_000;

/**
 * The root directories of a client. They narrow the flags: paths outside of them are not granted.
 * A client without roots leaves the flags as they are.
 */
class ClientRoots {
  #flags: Promise<ConnectionFlags> | undefined;
  #narrowed: QuickCalls | undefined;

  /** The roots are asked for again after the client changed them. */
  constructor(readonly server: Server, readonly shared: ServerContext) {
    server.setNotificationHandler("notifications/roots/list_changed", () => this.forget());
  }

  /** Lets the next call ask for the roots again. */
  forget(): void {
    this.#flags = undefined;
    this.close();
  }

  /** Returns what answers quick calls, if the client and its roots are known. */
  quickCalls(): QuickCalls | undefined {
    const capabilities = this.server.getClientCapabilities();
    if (capabilities === undefined) return undefined;
    return capabilities.roots === undefined ? this.shared.quickCalls : this.#narrowed;
  }

  /** Ends what answers quick calls within the roots. */
  close(): void {
    this.#narrowed?.close();
    this.#narrowed = undefined;
  }

  /**
   * Returns the flags for a call of this connection. Rejects with `unavailable` if the client has
   * roots and does not list valid ones.
   */
  async narrowedFlags(request: RequestContext): Promise<ConnectionFlags> {
    // Clients of revision 2026-07-28 have no roots.
    if (this.server.getClientCapabilities()?.roots === undefined || request.mcpReq.envelope) {
      return this.shared.options;
    }
    for (;;) {
      const isFirst = this.#flags === undefined;
      const flags = this.#flags ??= this.#ask(request);
      try {
        const known = await flags;
        if (flags === this.#flags) this.#narrowed ??= this.shared.quickCalls.narrowed(known);
        return known;
      } catch (error) {
        if (this.#flags === flags) this.#flags = undefined;
        // The request of another call ends with that call: send one for this call.
        if (isFirst || request.mcpReq.signal.aborted) throw error;
      }
    }
  }

  async #ask({ mcpReq }: RequestContext): Promise<ConnectionFlags> {
    try {
      const { roots } = await mcpReq.send({ method: "roots/list" }, { timeout: ROOTS_MS });
      return roots.length === 0
        ? this.shared.options
        : this.shared.narrowFlags(roots.map(({ uri }) => directoryOf(uri)));
    } catch (error) {
      const why = (error as Error).message;
      throw new CallError("unavailable", `Cannot read the roots of the MCP client: ${why}`);
    }
  }
}

/** Returns the real path of a root. Throws if it has no `file:` address or does not exist. */
function directoryOf(uri: string): string {
  if (!URL.canParse(uri) || new URL(uri).protocol !== "file:") {
    throw new Error(`the root ${quote(uri)} is no file: address`);
  }
  // Decoding an escaped slash can produce a new "..", so resolve after it.
  const path = realPathIfAny(pathRules.resolve(fromFileUrl(uri)));
  if (path === undefined) throw new Error(`the root ${quote(uri)} cannot be looked up`);
  return path;
}

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { argumentsOf, shapes } from "../../dialect/call_shape.ts";
import type { CallOptions } from "../../call/call.ts";
import { refused } from "../../call/refused.ts";
import { version } from "../../../base/version.ts";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** A server of this program's, which has a line logged for a `tools/call` that is no call too. */
export class CallServer extends Server {
  #settings: CallOptions;

  /** Takes what calls are answered with, and what the server can do. */
  constructor(settings: CallOptions, options: ServerOptions) {
    super({ name: "toolcall", title: "toolcall", version }, options);
    this.#settings = settings;
  }

  /** The SDK refuses such a request before the handler sees it. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    return async (request, context) => {
      let isCall = false;
      const wrapped = super._wrapHandler(method, async (...given) => {
        isCall = true;
        return await handler(...given);
      });
      try {
        await refuseMisplaced(request.params);
        return await wrapped(request, context);
      } catch (error) {
        const name = request.params?.["name"];
        const failure = new CallError("malformed_call", (error as Error).message);
        if (!isCall) {
          await refused(failure, this.#settings, typeof name === "string" ? { name } : {});
        }
        throw error;
      }
    };
  }
}

/** Refuses the keys that the SDK would ignore: they may hold the arguments. */
async function refuseMisplaced(params: JSONRPCRequest["params"] = {}): Promise<void> {
  try {
    await argumentsOf(params, shapes.params);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details } = error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { ...details, code });
  }
}

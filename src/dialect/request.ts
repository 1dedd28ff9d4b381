import type { ToolCall } from "../engine/call.ts";
import type { CallResult } from "../engine/failure.ts";
import { isJsonRpc, jsonRpcListing, jsonRpcResponse, parseJsonRpc, requestId } from "./json_rpc.ts";
import { parseMcpParams } from "./mcp.ts";

/** What came in: how to understand it, and how to answer it in its own dialect. */
export interface Request {
  /** The call, or `"list"` for the catalogue. Throws `malformed_call`. */
  read(): ToolCall | "list";
  /** A call's result in this dialect. */
  render(result: CallResult): unknown;
  /** The catalogue in this dialect. */
  renderList(tools: unknown[]): unknown;
}

/** Recognises a dialect by its shape, never by guesswork on content. */
export function requestOf(value: unknown): Request {
  if (isJsonRpc(value)) {
    const id = requestId(value);
    return {
      read: () => parseJsonRpc(value),
      render: (result) => jsonRpcResponse(id, result),
      renderList: (tools) => jsonRpcListing(id, tools),
    };
  }
  return {
    read: () => parseMcpParams(value),
    render: (result) => result,
    renderList: (tools) => ({ tools }),
  };
}

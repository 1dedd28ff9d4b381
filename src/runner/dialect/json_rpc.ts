import { lookupTable } from "../../base/lookup_table.ts";
import { CallError } from "../../base/errors.ts";
import { isJsonId } from "../../base/json/inexact_number.ts";
import type { ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import { argumentsOf, malformed, parseMcpParams, shapes, shown } from "./mcp.ts";
import type { Reading, RequestId } from "./incoming.ts";

// JSON-RPC 2.0's error codes, section 5.1.
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** The failures that are protocol errors. All others are results. */
const protocolErrors = lookupTable<number>({
  tool_not_found: METHOD_NOT_FOUND,
  invalid_arguments: INVALID_PARAMS,
  malformed_call: INVALID_REQUEST,
  internal: INTERNAL_ERROR,
});

/** The id of a request, or `null` if it has no valid id. */
export function requestId(request: Record<string, unknown>): RequestId {
  const { id } = request;
  return isJsonId(id) ? id : null;
}

/**
 * The call or list that a request of `tools/call` or `tools/list` asks for. Rejects with
 * `malformed_call` for any other method, version, id or key.
 */
export async function parseJsonRpc(
  request: Record<string, unknown>,
  reading: Reading,
): Promise<ToolCall | "list"> {
  const { jsonrpc, method } = request;
  if (jsonrpc !== "2.0") throw malformed(`"jsonrpc" is not "2.0"`);
  if (requestId(request) === null) throw malformed(`"id" is not a string or a number`);
  if (method === "tools/list") return "list";
  if (method === "tools/call") return await callOf(request, reading);
  throw malformed(`the method ${shown(method)} is neither "tools/call" nor "tools/list"`, {
    jsonRpcCode: typeof method === "string" ? METHOD_NOT_FOUND : INVALID_REQUEST,
  });
}

async function callOf(request: Record<string, unknown>, reading: Reading): Promise<ToolCall> {
  const { value: params } = await argumentsOf(request, shapes.request);
  try {
    return await parseMcpParams(params, { ...reading, isJsonRpc: true });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details } = error;
    throw new CallError(code, message, { ...details, jsonRpcCode: INVALID_PARAMS });
  }
}

/** The response that carries a call's result. */
export function jsonRpcResponse(id: RequestId, result: CallResult): Record<string, unknown> {
  const error = result._meta?.["toolcall/error"];
  const code = error && (error["jsonRpcCode"] ?? protocolErrors[error.code]);
  if (code === undefined) return { jsonrpc: "2.0", id, result };
  const [block] = result.content;
  const message = block?.type === "text" ? block.text : error!.code;
  return { jsonrpc: "2.0", id, error: { code, message, data: error } };
}

/** The response that carries the catalogue. */
export function jsonRpcListing(id: RequestId, tools: unknown[]): Record<string, unknown> {
  return { jsonrpc: "2.0", id, result: { tools } };
}

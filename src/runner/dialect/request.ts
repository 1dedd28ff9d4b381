import { duplicateFault, parseJsonDocument } from "../../base/json/exact_json.ts";
import type { CallError } from "../../base/errors.ts";
import type { IncomingCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import { isMcpParams, malformed, parseMcpParams } from "./mcp.ts";
import type { Format, ParsedInput, Reading, Request } from "./incoming.ts";

/** The most input that is read, in bytes. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** The text of the input in UTF-8, with an optional byte order mark. Throws `malformed_call` for what is too long or not UTF-8. */
export function decodeInput(bytes: Uint8Array): string {
  if (bytes.length > MAX_INPUT_BYTES) {
    throw malformed(`the input is larger than ${MAX_INPUT_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) ||
      (bytes[0] === 0xfe && bytes[1] === 0xff);
    throw malformed(utf16 ? "the input is UTF-16, not UTF-8" : "the input is not UTF-8");
  }
}

/**
 * Parses the JSON text of a request. Common mistakes in it are corrected if that is asked for.
 * Rejects with `malformed_call`.
 */
export async function parseInput(
  text: string,
  { repairJson = false }: Reading,
): Promise<ParsedInput> {
  try {
    const { value, duplicateKey } = parseJsonDocument(text);
    return { value, duplicateKey, repairs: [] };
  } catch (error) {
    const repaired = repairJson ? (await import("./json_text.ts")).repairedJson(text) : undefined;
    if (repaired !== undefined) return repaired;
    const { jsonFault } = await import("./json_fault.ts");
    throw malformed(jsonFault(text, error as Error));
  }
}

/**
 * Recognises a dialect by its shape, never by guesswork on content. With a duplicate key, every call
 * of the request fails, because another parser may read other calls.
 */
export async function requestOf(value: unknown, reading: Reading = {}): Promise<Request> {
  return refuseDuplicate(await recognized(value, reading), reading.duplicateKey);
}

/** The error for a JSON text with a key that an object has twice. */
export function duplicateError(key: string): CallError {
  return malformed(`the input ${duplicateFault(key)}; keep one of them`, {
    key: key.slice(0, 200),
  });
}

/** The request itself, or one whose calls all fail if a key is given that an object has twice. */
export function refuseDuplicate(request: Request, key: string | undefined): Request {
  if (key === undefined) return request;
  const failure = duplicateError(key);
  return {
    ...request,
    async read() {
      const calls = await request.read().catch(() => []);
      if (calls === "list" || calls.length === 0) throw failure;
      return calls.map((each): IncomingCall => {
        const { id, name, item } = each;
        return {
          ...(id !== undefined && { id }),
          ...(name !== undefined && { name }),
          ...(item !== undefined && { item }),
          failure,
        };
      });
    },
  };
}

async function recognized(value: unknown, reading: Reading): Promise<Request> {
  if (isJsonRpc(value)) {
    const { parseJsonRpc, requestId } = await import("./json_rpc.ts");
    return {
      dialect: "json-rpc",
      isMessage: false,
      rpcId: requestId(value),
      async read() {
        const asked = await parseJsonRpc(value, reading);
        return asked === "list" ? asked : [{ call: asked }];
      },
    };
  }
  if (!isMcpParams(value)) {
    const { modelRequest } = await import("./model_apis.ts");
    const request = modelRequest(value, reading);
    if (request !== undefined) return request;
  }
  return mcpRequest(value, reading);
}

/** Whether a value is a JSON-RPC message. */
function isJsonRpc(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "jsonrpc");
}

/** A request of MCP params. It also stands for a request that cannot be read. */
export function mcpRequest(value: unknown, reading: Reading = {}): Request {
  return {
    dialect: "mcp",
    isMessage: false,
    read: async () => [{ call: await parseMcpParams(value, reading) }],
  };
}

/** Renders the results of a request for stdout: one for each of its calls, in order. */
export async function render(
  { request, calls }: { request: Request; calls: readonly IncomingCall[] },
  results: readonly CallResult[],
  format: Format,
): Promise<string> {
  if (request.dialect === "json-rpc") {
    const { jsonRpcResponse } = await import("./json_rpc.ts");
    return line(jsonRpcResponse(request.rpcId ?? null, results[0]!));
  }
  const target = format === "same" ? request.dialect : format;
  const { id: first = "" } = calls[0] ?? {};
  if (target === "mcp" && request.dialect === "mcp" && !request.isMessage && first === "") {
    return line(results[0]);
  }
  const { renderAs } = await import("./model_apis.ts");
  const answers = results.map((result, place) => {
    const { id = "", name = "", item } = calls[place] ?? {};
    return { id, name, item, result };
  });
  // A message without readable calls gets a single result.
  return renderAs(target, answers, request.isMessage && calls.length > 0);
}

/** Renders the catalogue for stdout. */
export async function renderList(request: Request, tools: unknown[]): Promise<string> {
  const { jsonRpcListing } = await import("./json_rpc.ts");
  return line(jsonRpcListing(request.rpcId ?? null, tools));
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

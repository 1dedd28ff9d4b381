/** Errors of requests that the SDK does not get. */

import type { JSONRPCErrorResponse } from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { type JsonDocument, parseJsonDocument } from "../../../base/json/exact_json.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { duplicateError } from "../../dialect/request.ts";
import { argumentsOf, type CallShape, shapes } from "../../dialect/mcp.ts";
import { hideNumberIds } from "./number_ids.ts";

/** The code of JSON-RPC for a string that cannot be parsed. */
export const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** An error of JSON-RPC. */
export type RequestError = JSONRPCErrorResponse["error"];

/**
 * Returns an error that names the unknown keys of a JSON-RPC request, which may hold misplaced
 * arguments. Returns `undefined` for a request without such keys, and for any other value.
 */
export async function unknownKeysError(request: unknown): Promise<RequestError | undefined> {
  if (!isObject(request) || typeof request["method"] !== "string") return undefined;
  return await errorOfKeys(request, shapes.request);
}

/** Returns an error that names the keys that calls of this shape do not have, if there are any. */
export async function errorOfKeys(
  given: Record<string, unknown>,
  shape: CallShape,
): Promise<RequestError | undefined> {
  try {
    await argumentsOf(given, shape);
    return undefined;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details } = error;
    return { code: INVALID_REQUEST, message, data: { ...details, code } };
  }
}

/**
 * Parses messages from outside. Ids that JavaScript would change become strings. Throws {@link
 * InexactJsonError} for a text that is not JSON.
 */
export function parseMessages(text: string): JsonDocument {
  const parsed = parseJsonDocument(text);
  if (parsed.mayBeInexact) hideNumberIds(parsed.value);
  return parsed;
}

/** Returns the error for a request with a duplicate key, and undefined for any other message. */
export function duplicateKeyError(
  { value, duplicateKey: key }: Pick<JsonDocument, "value" | "duplicateKey">,
): RequestError | undefined {
  if (key === undefined || !isRequest(value)) return undefined;
  const { code, message, details } = duplicateError(key);
  return { code: INVALID_REQUEST, message, data: { ...details, code } };
}

function isRequest(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isRequest);
  return isObject(value) && Object.hasOwn(value, "method");
}

const NOT_A_MESSAGE =
  'A line must be one JSON-RPC message, such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}';

/** Returns the error for a value that is no message of JSON-RPC. */
export async function messageError(value: unknown): Promise<RequestError> {
  return await unknownKeysError(value) ?? { code: INVALID_REQUEST, message: NOT_A_MESSAGE };
}

/** Returns the id of a request for its answer, or `null` if it has no valid id. */
export function answerId(request: unknown): string | number | null {
  const id = isObject(request) ? request["id"] : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

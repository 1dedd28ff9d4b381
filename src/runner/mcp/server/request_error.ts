import { CallError } from "../../../base/errors.ts";
import { argumentsOf, shapes } from "../../dialect/mcp.ts";
import { isObject } from "../../../base/json/is_object.ts";

/** JSON-RPC 2.0's code for an invalid request, section 5.1. */
const INVALID_REQUEST = -32600;

/** An error of JSON-RPC. */
export interface RequestError {
  /** The code that JSON-RPC defines. */
  code: number;
  /** The message for people. */
  message: string;
  /** The details for programs: the code `malformed_call`, and the keys. */
  data?: Record<string, unknown>;
}

/**
 * Returns an error that names the unknown keys of a JSON-RPC request, which may hold misplaced
 * arguments. Returns `undefined` for a request without such keys, and for any other value.
 */
export async function unknownKeysError(request: unknown): Promise<RequestError | undefined> {
  if (!isObject(request) || typeof request["method"] !== "string") return undefined;
  try {
    await argumentsOf(request, shapes.request);
    return undefined;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details } = error;
    return { code: INVALID_REQUEST, message, data: { ...details, code } };
  }
}

/** Returns the id of a request for its answer, or `null` if it has no valid id. */
export function answerId(request: unknown): string | number | null {
  const id = isObject(request) ? request["id"] : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

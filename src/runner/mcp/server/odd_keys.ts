import { CallError } from "../../../base/errors.ts";
import { argumentsOf, shapes } from "../../dialect/call_shape.ts";
import { isObject } from "../../../base/json/is_object.ts";

/** JSON-RPC 2.0's code for an invalid request, section 5.1. */
const INVALID_REQUEST = -32600;

/** An error of JSON-RPC. */
export interface RequestError {
  /** Its code. */
  code: number;
  /** The message that says what is wrong. */
  message: string;
  /** The same for a program: `malformed_call`, with the keys. */
  data?: Record<string, unknown>;
}

/**
 * The error of a JSON-RPC request with unknown keys, which might hold arguments: it names them.
 * `undefined` for a request without such keys, and for a value that is no request.
 */
export async function oddKeys(request: unknown): Promise<RequestError | undefined> {
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

/** The id of a request that can be repeated in its answer, or `null`. */
export function idOf(request: unknown): string | number | null {
  const id = isObject(request) ? request["id"] : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

import { isObject } from "../../../base/json/is_object.ts";
import type { ToolCall } from "../../call/call.ts";

/** A request to call a tool, without anything that the SDK has to look at. */
export interface PlainCall {
  /** The id of its request. */
  id: string | number;
  /** The call. */
  call: ToolCall;
}

/**
 * Whether a message, or one of several, says that the client has changed its roots. The SDK looks at
 * it later than a quick call that follows would be answered.
 */
export function tellsOfRoots(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(tellsOfRoots);
  return isObject(body) && body["method"] === "notifications/roots/list_changed";
}

/**
 * Returns the call in a `tools/call` that has a valid id, a name, arguments and nothing else: no
 * progress token, no other data about the request and no unknown key. So it is a valid request of a
 * client with a session. Returns `undefined` for any other value.
 */
export function plainCallIn(message: unknown): PlainCall | undefined {
  if (!isObject(message) || message["method"] !== "tools/call") return undefined;
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== "2.0" || Object.keys(message).length !== 4) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || Object.keys(params).length !== 2) return undefined;
  const { name, arguments: args } = params;
  if (typeof name !== "string" || !isObject(args)) return undefined;
  return { id: id as string | number, call: { name, arguments: args } };
}

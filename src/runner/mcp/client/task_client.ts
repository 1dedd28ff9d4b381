import { Client, type JSONRPCResponse } from "@modelcontextprotocol/client";
import { isObject } from "../../../base/json/is_object.ts";

/** The key of a task in a result. No server can know it. */
const TASK = `toolcall/${crypto.randomUUID()}`;

/**
 * The SDK's client, which also takes a task as the answer to a request that declares the extension
 * for tasks. The SDK would refuse it, and has no other hook.
 */
export class TaskClient extends Client {
  /** Hides a task in the metadata of a result. */
  protected override _onresponse(response: JSONRPCResponse): void {
    const result = "result" in response ? response.result : undefined;
    if (!isObject(result) || result["resultType"] !== "task") return super._onresponse(response);
    const hidden = { resultType: "complete", content: [], _meta: { [TASK]: result } };
    super._onresponse({ ...response, result: hidden } as JSONRPCResponse);
  }
}

/** Returns the task that the server answered a call with, if it did. */
export function taskIn(result: unknown): unknown {
  const meta = isObject(result) ? result["_meta"] : undefined;
  return isObject(meta) ? meta[TASK] : undefined;
}

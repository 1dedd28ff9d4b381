/** Answers about tasks, for the clients that take tasks and for the others. */

import type {
  CallToolResult,
  Server,
  ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import type { CallOptions } from "../../call/call.ts";
import { JsonRpcError } from "../json_rpc_error.ts";
import { TASKS_EXTENSION } from "../tasks_extension.ts";
import { clientCapabilities } from "./client_questions.ts";

/** Whether the client of a request takes a task in place of a result. */
export function takesTasks(server: Server, request: RequestContext): boolean {
  return request.mcpReq.envelope !== undefined &&
    isObject(clientCapabilities(server, request).extensions?.[TASKS_EXTENSION]);
}

/** Returns the error for a client that asks about tasks and has not declared the extension. */
export function missingTasks(): JsonRpcError {
  return new JsonRpcError(
    "missingCapability",
    `Missing client capability: the request needs the extension "${TASKS_EXTENSION}"`,
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  );
}

/** Returns the answer to a call that became this task. */
export async function taskAnswer(
  id: string,
  options: CallOptions,
): Promise<CallToolResult> {
  const { readClientTask } = await import("./client_tasks.ts");
  // These belong to `tasks/get` only.
  const { result: _, error: __, inputRequests: ___, ...task } = await readClientTask(id, options);
  // The SDK has no type for it.
  return { resultType: "task", ...task } as unknown as CallToolResult;
}

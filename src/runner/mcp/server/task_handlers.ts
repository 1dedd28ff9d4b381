import type {
  CallToolResult,
  Server,
  ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import { anyValue } from "../any_value.ts";
import { JsonRpcError } from "../json_rpc_error.ts";
import type { McpTask } from "../tasks_extension.ts";
import { protocolError } from "./protocol_error.ts";
import { missingTasks, takesTasks } from "./task_answers.ts";
import type { ConnectionFlags, ServerContext } from "./tools_call.ts";

type Handle = (
  tasks: typeof import("./client_tasks.ts"),
  id: string,
  options: ServerContext["options"],
  answers: Record<string, unknown>,
) => Promise<Record<string, unknown>>;

/**
 * Lets a server of revision 2026-07-28 answer requests about the background tasks of its client. The
 * module for them is loaded with the first request. `getFlags` returns the flags of the connection.
 */
export function setTaskHandlers(
  server: Server,
  { options }: ServerContext,
  getFlags: (request: RequestContext) => Promise<ConnectionFlags>,
): void {
  const handler = (handle: Handle) => async (params: unknown, request: RequestContext) => {
    if (!takesTasks(server, request)) throw missingTasks();
    const id = isObject(params) ? params["taskId"] : undefined;
    if (typeof id !== "string") {
      throw new JsonRpcError("invalidParams", 'The parameter "taskId" must be a string');
    }
    const tasks = await import("./client_tasks.ts");
    // The SDK takes the answers out of the parameters.
    const answers = { ...request.mcpReq.inputResponses };
    try {
      return await handle(tasks, id, { ...options, ...await getFlags(request) }, answers);
    } catch (error) {
      throw protocolError(error);
    }
  };
  const params = { params: anyValue };
  server.setRequestHandler(
    "tasks/get",
    params,
    handler(async ({ readClientTask }, id, own) =>
      withProjectedResult(server, await readClientTask(id, own))
    ),
  );
  server.setRequestHandler(
    "tasks/cancel",
    params,
    handler(async ({ cancelClientTask }, id, own) => {
      await cancelClientTask(id, own);
      return {};
    }),
  );
  server.setRequestHandler(
    "tasks/update",
    params,
    handler(async ({ answerClientTask }, id, own, answers) => {
      await answerClientTask(id, answers, own);
      return {};
    }),
  );
}

/** The result gets the form that the answer to the call itself would have had. */
function withProjectedResult(server: Server, task: McpTask): Record<string, unknown> {
  const { result } = task;
  if (result === undefined) return { ...task };
  const projected = server.projectCallToolResult(result as unknown as CallToolResult, undefined);
  // The type of its result is a part of the answer to a call.
  return { ...task, result: { ...projected, resultType: "complete" } };
}

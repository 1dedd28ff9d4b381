import {
  type CallToolResult,
  type Client,
  CLIENT_CAPABILITIES_META_KEY,
  isCallToolResult,
} from "@modelcontextprotocol/client";
import { isObject } from "../../../base/json/is_object.ts";
import { anyValue } from "../any_value.ts";
import { TASKS_EXTENSION } from "../tasks_extension.ts";
import type { ListedTool } from "./listed_tool.ts";
import { announcedCapabilities, type RequestDesk } from "./server_requests.ts";
import { resultFrom, ServerTask, type TaskCall } from "./server_task.ts";
import { taskIn } from "./task_client.ts";

/** A call of a tool over an open connection. */
export interface ConnectionCall extends Pick<TaskCall, "signal" | "timeout" | "onProgress"> {
  /** Answers the requests of the server. */
  desk: RequestDesk;
  /** The time limit of the call in milliseconds. */
  timeoutMs: number;
}

/** Calls a tool, and waits for its result if the server runs the call as a task. */
export async function callTool(
  client: Client,
  [{ tool: name, inputSchema, runsAsTask }, args]: [ListedTool, Record<string, unknown>],
  { desk, timeoutMs, signal, timeout, onProgress }: ConnectionCall,
): Promise<CallToolResult> {
  const meta = tasksMeta(client, announcedCapabilities(desk.allowed));
  const params = { name, arguments: args };
  const call: TaskCall = {
    ...{ server: desk.server, tool: name, signal, timeout, meta: meta ?? {} },
    ...(onProgress && { onProgress }),
    answer: (method, params) => desk.answer(method, params),
  };
  if (runsAsTask && client.getServerCapabilities()?.tasks?.requests?.tools?.call) {
    return await callAsLegacyTask(client, params, { ...call, ttl: timeoutMs });
  }
  const result = await client.callTool({ ...params, ...(meta && { _meta: meta }) }, {
    ...{ signal, timeout },
    // The SDK needs the schema to copy arguments to header fields. Results are checked elsewhere.
    toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
    onprogress: ({ progress, total, message }) => {
      const done = total === undefined ? String(progress) : `${progress}/${total}`;
      onProgress?.(message === undefined ? done : `${done} ${message}`);
    },
  });
  const created = taskIn(result);
  if (created === undefined) return result as CallToolResult;
  const task = new ServerTask(client, created, call);
  return await task.orCancel(() => task.finish());
}

/**
 * Returns the metadata with which a request declares the extension for tasks, beside the other
 * capabilities. Returns `undefined` for a server that does not offer tasks.
 */
function tasksMeta(
  client: Client,
  capabilities: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (client.getProtocolEra() !== "modern") return undefined;
  const { extensions } = client.getServerCapabilities() ?? {};
  if (!isObject(extensions?.[TASKS_EXTENSION])) return undefined;
  const own = { ...capabilities, extensions: { [TASKS_EXTENSION]: {} } };
  return { [CLIENT_CAPABILITIES_META_KEY]: own };
}

/** Calls a tool that a server of revision 2025-11-25 runs only as a task. */
async function callAsLegacyTask(
  client: Client,
  params: { name: string; arguments: Record<string, unknown> },
  { ttl, ...call }: TaskCall & { ttl: number },
): Promise<CallToolResult> {
  const { signal, timeout } = call;
  const request = { method: "tools/call", params: { ...params, task: { ttl } } };
  const answer = await client.request(request, anyValue, { signal, timeout });
  // Some servers answer at once.
  if (isCallToolResult(answer)) return answer;
  const task = new ServerTask(client, isObject(answer) ? answer["task"] : undefined, call);
  return await task.orCancel(async () => {
    // The request for the result waits for it, and only with it the server asks questions.
    await task.poll((status) => status !== "working");
    return resultFrom(await task.request("tasks/result"));
  });
}

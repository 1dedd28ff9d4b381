import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { McpTask } from "../tasks_extension.ts";

/** The key that names the subscription of a notification. */
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

/** Returns the notification that tells a client the state of a task. */
export function taskNotification(task: McpTask, subscription: unknown): JSONRPCMessage {
  return {
    jsonrpc: "2.0",
    method: "notifications/tasks",
    params: { ...task, _meta: { [SUBSCRIPTION_KEY]: subscription } },
  };
}

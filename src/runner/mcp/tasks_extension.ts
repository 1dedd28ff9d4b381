/** MCP's extension for tasks (SEP-2663), of which server and client know the same words. */

/** The name of the extension in the capabilities of both sides. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** The states of a task. The last three are final. */
export type McpTaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A task as `tasks/get` returns it. */
export interface McpTask {
  /** Its id. */
  taskId: string;
  /** Its state. */
  status: McpTaskStatus;
  /** The state in words. */
  statusMessage?: string;
  /** Its start, as ISO 8601. */
  createdAt: string;
  /** Its last change, as ISO 8601. */
  lastUpdatedAt: string;
  /** The time from its start for which it is kept, in milliseconds. */
  ttlMs: number | null;
  /** The suggested interval of `tasks/get`, in milliseconds. */
  pollIntervalMs?: number;
  /** The requests that wait for answers of the client, if the state is `input_required`. */
  inputRequests?: Record<string, unknown>;
  /** The result of the call, if the state is `completed`. */
  result?: Record<string, unknown>;
  /** The error of the protocol, if the state is `failed`. */
  error?: { code: number; message: string };
}

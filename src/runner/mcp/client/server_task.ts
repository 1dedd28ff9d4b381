import {
  type CallToolResult,
  type Client,
  isCallToolResult,
  ProtocolError,
} from "@modelcontextprotocol/client";
import { delay } from "@std/async/delay";
import { CallError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import { anyValue } from "../any_value.ts";
import { JsonRpcError } from "../json_rpc_error.ts";

/** The interval if the server suggests none, and its limits, in milliseconds. */
const [POLL_MS, MIN_POLL_MS, MAX_POLL_MS] = [1_000, 50, 30_000];
/** The time that a server has to take the cancellation of a task, in milliseconds. */
const CANCEL_MS = 1_000;
/** The longest id of a task, in characters. */
const MAX_ID = 1_000;
/** The states in which a task has ended. */
const FINAL = ["completed", "failed", "cancelled"];

/** The call that became a task. */
export interface TaskCall {
  /** The name of the server. */
  server: string;
  /** The name of the tool at the server. */
  tool: string;
  /** Cancels the task. */
  signal: AbortSignal;
  /** The limit of each request in milliseconds. */
  timeout: number;
  /** Takes each message about its state. */
  onProgress?(line: string): void;
  /** Answers a request of the server. Rejects with the reason if it is not allowed. */
  answer(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The metadata that each request about tasks needs. */
  meta: Record<string, unknown>;
}

/** A task as a server describes it. */
interface TaskState {
  taskId: string;
  status: string;
  /** The rest of it, unchecked. */
  more: Record<string, unknown>;
}

/** A call that a server runs as a task. Its state is asked for until it has ended. */
export class ServerTask {
  #shown: unknown;

  #task: TaskState;

  /** Takes the description with which the server has answered the call. Throws for an invalid one. */
  constructor(readonly client: Client, created: unknown, readonly call: TaskCall) {
    this.#task = taskFrom(created);
    this.#show();
  }

  /** Sends a request about this task. */
  async request(method: string, more: Record<string, unknown> = {}): Promise<unknown> {
    const { signal, timeout } = this.call;
    return await this.#send(method, more, { signal, timeout });
  }

  /** Asks for the state until `isEnough`. Returns it. */
  async poll(isEnough: (status: string) => boolean): Promise<TaskState> {
    while (!isEnough(this.#task.status)) {
      await delay(pollMs(this.#task.more), { signal: this.call.signal });
      await this.#read();
    }
    return this.#task;
  }

  /** Waits for the end, and answers the questions of the server. Returns the result. */
  async finish(): Promise<CallToolResult> {
    const answered = new Set<string>();
    // The first description of a task has neither a result nor questions.
    if (this.#task.status !== "working") await this.#read();
    for (;;) {
      const { status, more } = await this.poll((status) => status !== "working");
      if (status === "input_required") await this.#answer(more["inputRequests"], answered);
      else return this.#outcome(status, more);
      await delay(pollMs(more), { signal: this.call.signal });
      await this.#read();
    }
  }

  /** Runs `work`. If the call is cancelled meanwhile, or fails here, the task is cancelled too. */
  async orCancel(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
    try {
      return await work();
    } catch (error) {
      if (!FINAL.includes(this.#task.status)) {
        const limit = { signal: AbortSignal.timeout(CANCEL_MS), timeout: CANCEL_MS };
        await this.#send("tasks/cancel", {}, limit).catch(() => {});
      }
      throw error;
    }
  }

  async #send(
    method: string,
    more: Record<string, unknown>,
    options: { signal: AbortSignal; timeout: number },
  ): Promise<unknown> {
    const params = { taskId: this.#task.taskId, ...more, _meta: this.call.meta };
    return await this.client.request({ method, params }, anyValue, options);
  }

  async #read(): Promise<void> {
    const task = taskFrom(await this.request("tasks/get"));
    if (task.taskId !== this.#task.taskId) throw new Error("it describes another task");
    this.#task = task;
    this.#show();
  }

  #show(): void {
    const message = this.#task.more["statusMessage"];
    if (typeof message !== "string" || message === "" || message === this.#shown) return;
    this.#shown = message;
    this.call.onProgress?.(message);
  }

  /** Answers the requests that have no answer yet. Rejects if one is not allowed. */
  async #answer(requests: unknown, answered: Set<string>): Promise<void> {
    const open = Object.entries(isObject(requests) ? requests : {})
      .filter(([key]) => !answered.has(key));
    if (open.length === 0) return;
    const responses: [key: string, response: unknown][] = [];
    for (const [key, request] of open) {
      const { method, params } = isObject(request) ? request : {};
      const given = isObject(params) ? params : {};
      try {
        responses.push([key, await this.call.answer(String(method), given)]);
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error;
        const { server, tool } = this.call;
        const why = `the MCP server ${quote(server)} asks a question: ${error.message}`;
        throw new CallError("tool_failed", `Cannot finish ${quote(tool)}: ${why}`, { server });
      }
      answered.add(key);
    }
    await this.request("tasks/update", { inputResponses: Object.fromEntries(responses) });
  }

  #outcome(status: string, more: Record<string, unknown>): CallToolResult {
    if (status === "completed") return resultFrom(more["result"]);
    if (status === "failed") {
      const { code, message } = isObject(more["error"]) ? more["error"] : {};
      throw new ProtocolError(Number(code ?? 0), String(message ?? "the task failed"));
    }
    const { server, tool } = this.call;
    const text = `The MCP server ${quote(server)} cancelled the task of ${quote(tool)}`;
    throw new CallError("tool_failed", text, { server });
  }
}

function taskFrom(value: unknown): TaskState {
  const { taskId, status, ...more } = isObject(value) ? value : {};
  const isId = typeof taskId === "string" && taskId !== "" && taskId.length <= MAX_ID;
  if (!isId || !["working", "input_required", ...FINAL].includes(status as string)) {
    throw new Error("its task has no valid id and state");
  }
  return { taskId, status: status as string, more };
}

/** Returns the result of a call that was a task. Throws if it has another form. */
export function resultFrom(value: unknown): CallToolResult {
  if (!isCallToolResult(value)) throw new Error("its task has no valid result");
  return value;
}

/** Revision 2025-11-25 has another name for the interval. */
function pollMs({ pollIntervalMs, pollInterval }: Record<string, unknown>): number {
  const given = Number(pollIntervalMs ?? pollInterval ?? POLL_MS);
  return Number.isFinite(given) ? Math.min(Math.max(given, MIN_POLL_MS), MAX_POLL_MS) : POLL_MS;
}

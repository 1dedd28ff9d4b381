import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import type { Semaphore } from "../../../base/async/semaphore.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { readTraceParent } from "../../../base/text/trace_parent.ts";
import type { CallOptions, ToolCall } from "../../call/call.ts";
import type { QuickCalls } from "../../call/quick_calls.ts";
import { taskOwner } from "../../call/client_task.ts";
import { executeCall, rejectCall } from "../../call/execute.ts";
import type { CallResult } from "../../call/failure.ts";
import {
  limitPrints,
  type Print,
  printToStderr,
  type TakePrint,
} from "../../sandbox/executors/prints.ts";
import type { UpstreamNames } from "./upstream_names.ts";
import { askClient } from "./client_questions.ts";
import { ClientRequests } from "./client_requests.ts";
import type { Offers } from "./offers.ts";
import { ProgressReporter } from "./progress_reporter.ts";
import type { PromptDirectory } from "./prompt_directory.ts";
import { takesTasks, taskAnswer } from "./task_answers.ts";

/** The permission flags of one connection, in both forms that the options have. */
export type ConnectionFlags = Pick<CallOptions, "grants" | "flags">;

/**
 * Everything that the connections of this process share. The SDK has a type of the same name for
 * one request; it is imported here as `RequestContext`.
 */
export interface ServerContext {
  /** The options that calls run under. */
  options: CallOptions;
  /** Returns the flags restricted to these directories, which are real paths. */
  narrowFlags(roots: readonly string[]): ConnectionFlags;
  /** The offers besides tools. */
  offers: Offers;
  /** Opens the directory of the prompts. */
  prompts?: () => Promise<PromptDirectory>;
  /** Whether `tools/list` has every tool, also one that no call could use under the flags. */
  listsAll: boolean;
  /** The names that the servers of tools give them, if the tools have these. */
  upstreamNames?: UpstreamNames;
  /** Resolves when the catalogue has the tools of all other MCP servers that can be listed. */
  toolsListed: Promise<void>;
  /** Runs a call so that prints of its tool in this thread are attributed to this call. */
  isolatePrints<T>(call: () => T): T;
  /** Answers quick calls under the flags of the server. */
  quickCalls: QuickCalls;
  /** Limits how many calls run at the same time. */
  semaphore: Pick<Semaphore, "run">;
}

/**
 * Answers one `tools/call`. A failure is a result with `isError`; only an unknown tool is an error
 * of the protocol (-32601). If the tool has to ask the user first, the answer holds the questions,
 * and the client repeats the call with the answers. A call in the background is answered with a task
 * of MCP if the client takes tasks. `flags` returns the flags of the connection, or
 * rejects with a `CallError`.
 */
export async function handleToolsCall(
  call: ToolCall,
  { shared, server, request, flags }: {
    shared: ServerContext;
    server: Server;
    request: RequestContext;
    flags: () => Promise<ConnectionFlags>;
  },
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, _meta: { progressToken, traceparent } = {} } = request.mcpReq;
  const trace = readTraceParent(traceparent ?? request.http?.req?.headers.get("traceparent"));
  await using progress = progressToken === undefined
    ? undefined
    : new ProgressReporter(request, progressToken, call.name);
  await using prints = new PrintLog(request);
  let form: InputRequiredResult | undefined;
  const onForm = (asked: InputRequiredResult) => form = asked;
  const { onStep } = shared.options.listeners;
  const asTask = takesTasks(server, request);
  const result = await shared.semaphore.run(async (): Promise<CallResult> => {
    const own = { ...shared.options, ...await flags() };
    const options: CallOptions = {
      ...own,
      ...(asTask && { taskOwner: await taskOwner(own.flags) }),
      ...(trace !== undefined && { trace }),
      listeners: {
        cancelSignal: () => signal,
        ...(onStep && { onStep }),
        ...(progress && { onProgress: (line) => progress.report(line) }),
        onPrint: (print) => prints.log(print),
      },
      ask: {
        ...shared.options.ask,
        client: (questions) => askClient(questions, { server, request, onForm }),
        requests: new ClientRequests(call, { server, request, onForm }),
      },
    };
    return await shared.isolatePrints(() => executeCall(call, options));
  }, signal).catch((error) => {
    const cancelled = new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`);
    return rejectCall(signal.aborted ? cancelled : error, shared.options, call);
  });
  if (form !== undefined) return form;
  const task = result._meta?.["toolcall/task"];
  if (asTask && task !== undefined) {
    return await taskAnswer(task.id, { ...shared.options, ...await flags() });
  }
  const error = result._meta?.["toolcall/error"];
  const text = result.content[0];
  if (error?.code === "tool_not_found") {
    const message = text?.type === "text" ? text.text : error.code;
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message, error);
  }
  if (error !== undefined) {
    const data = { tool: call.name, code: error.code };
    await request.mcpReq.log("warning", data, "toolcall").catch(() => {});
  }
  return server.projectCallToolResult(result as CallToolResult, undefined);
}

/** Sends the prints of a tool during a call as log messages of MCP, and writes them to stderr. */
class PrintLog implements AsyncDisposable {
  #sent: Promise<unknown> = Promise.resolve();
  readonly #sendPrint: TakePrint;

  constructor({ mcpReq }: RequestContext) {
    this.#sendPrint = limitPrints(({ tool, level, text }) => {
      this.#sent = this.#sent
        .then(() => mcpReq.log(level, text.replace(/\n$/, ""), tool))
        // The client has disconnected.
        .catch(() => {});
    });
  }

  log(print: Print): void {
    printToStderr(print);
    this.#sendPrint(print);
  }

  /** Waits until all prints are sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sent;
  }
}

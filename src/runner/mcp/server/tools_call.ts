import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { executeCall, rejectCall } from "../../call/execute.ts";
import type { ToolCall } from "../../call/call.ts";
import type { CallResult } from "../../call/failure.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Print } from "../../sandbox/executors/prints.ts";
import type { ClientQuestions } from "./client_questions.ts";
import { PrintLog, ProgressReporter } from "./notifications.ts";
import type { ConnectionFlags, ServerContext } from "./server_context.ts";

/** A `tools/call` request, and the connection that it came on. */
export interface ToolsCallRequest {
  /** The shared context of all connections. */
  shared: ServerContext;
  /** The connection's server. */
  server: Server;
  /** The SDK's context of the request. */
  request: RequestContext;
  /** Returns the flags of the connection. Rejects with a `CallError`. */
  flags(): Promise<ConnectionFlags>;
  /** Asks the user at the client. */
  questions: ClientQuestions;
}

/**
 * Answers one `tools/call`. A failure is a result with `isError`; only an unknown tool is an error
 * of the protocol (-32601). If the tool has to ask the user first, the answer holds the questions,
 * and the client repeats the call with the answers.
 */
export async function handleToolsCall(
  call: ToolCall,
  { shared, server, request, flags, questions }: ToolsCallRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, _meta: { progressToken } = {} } = request.mcpReq;
  await using progress = progressToken === undefined
    ? undefined
    : new ProgressReporter(request, { progressToken, tool: call.name });
  await using prints = new PrintLog(request);
  const result = await shared.semaphore.run(async (): Promise<CallResult> => {
    const settings = {
      ...shared.settings,
      ...await flags(),
      listeners: {
        cancelSignal: () => signal,
        ...(progress && { onProgress: (line: string) => progress.report(line) }),
        onPrint: (print: Print) => prints.log(print),
      },
      ask: { ...shared.settings.ask, client: questions.ask },
    };
    return await shared.isolatePrints(() => executeCall(call, settings));
  }, signal).catch((error) => {
    const cancelled = new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`);
    return rejectCall(signal.aborted ? cancelled : error, shared.settings, call);
  });
  if (questions.required !== undefined) return questions.required;
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

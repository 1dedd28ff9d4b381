import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { executeCall } from "../../call/execute.ts";
import type { ToolCall } from "../../call/call.ts";
import type { CallResult } from "../../call/failure.ts";
import { refused } from "../../call/refused.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Print } from "../../sandbox/executors/prints.ts";
import type { ClientQuestions } from "./client_questions.ts";
import { Prints } from "./prints.ts";
import { Progress } from "./progress.ts";
import type { Flags, Served } from "./served.ts";

/** A request of a client's, and what it goes to. */
export interface CallOptions {
  /** What the connection is served with. */
  served: Served;
  /** The connection's server. */
  server: Server;
  /** The request. */
  context: ServerContext;
  /** The flags of the connection. Rejects with a `CallError`. */
  flags(): Promise<Flags>;
  /** How the person at the client is asked. */
  questions: ClientQuestions;
}

/**
 * Answers one `tools/call`. A failure is a result with `isError`; only an unknown tool is an
 * error of the protocol (-32601). A call that has to ask the person first is answered with
 * the questions, and comes again with the answers.
 */
export async function answerCall(
  call: ToolCall,
  { served, server, context, flags, questions }: CallOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, _meta: { progressToken } = {} } = context.mcpReq;
  await using progress = progressToken === undefined
    ? undefined
    : new Progress(context, { progressToken, tool: call.name });
  await using prints = new Prints(context);
  const result = await served.turns.run(async (): Promise<CallResult> => {
    const settings = {
      ...served.settings,
      ...await flags(),
      listeners: {
        cancelSignal: () => signal,
        ...(progress && { onProgress: (line: string) => progress.tell(line) }),
        onPrint: (print: Print) => prints.take(print),
      },
      ask: { ...served.settings.ask, client: questions.ask },
    };
    return await served.apart(() => executeCall(call, settings));
  }, signal).catch((error) => {
    const cancelled = new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`);
    return refused(signal.aborted ? cancelled : error, served.settings, call);
  });
  if (questions.open !== undefined) return questions.open;
  const error = result._meta?.["toolcall/error"];
  const text = result.content[0];
  if (error?.code === "tool_not_found") {
    const message = text?.type === "text" ? text.text : error.code;
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message, error);
  }
  if (error !== undefined) {
    const said = { tool: call.name, code: error.code };
    await context.mcpReq.log("warning", said, "toolcall").catch(() => {});
  }
  return server.projectCallToolResult(result as CallToolResult, undefined);
}

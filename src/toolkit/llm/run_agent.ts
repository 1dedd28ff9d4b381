import { CallError } from "../../base/errors.ts";
import { plural, thousands } from "../../base/text/amounts.ts";
import type { InnerTool } from "../../runner/registry/services.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { ChatModel, refusedBecause } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { type LoopOutcome, runLoop } from "./loop.ts";
import type { Message } from "./messages.ts";
import type { ModelName } from "./models.ts";
import { interruptionOf } from "../../base/async/interruption.ts";

/**
 * Runs an agent on a task: a prompt, or the next prompt in the conversation of the agent `resume`.
 * It asks `model`, or the default model, at most `maxTurns` times, and may use the tools for which
 * `has` returns true. Returns its last message, followed by a line with its usage and its id, by
 * which it can be resumed, and the same as data: the published `AgentOutput`. Throws `unavailable`
 * if no model is configured. From the first request on every error names the id.
 */
export async function runAgent(
  ctx: ToolContext,
  task: {
    prompt: string;
    system: string;
    model?: ModelName | undefined;
    resume?: string | undefined;
    maxTurns: number;
    has(tool: InnerTool): boolean;
  },
): Promise<{ text: string; data: Record<string, unknown> }> {
  const startedAt = performance.now();
  const conversation = await Conversation.open(ctx.store, task);
  const model = await ChatModel.open(ctx, conversation.model);
  const offered = (await ctx.listTools(model.apiName)).filter((tool) => task.has(tool));
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  await conversation.start();
  try {
    const callsBefore = callsIn(conversation.messages);
    let calls = 0;
    const outcome = await runLoop(ctx, {
      ...{ model, tools, session: conversation.id, maxTurns: task.maxTurns },
      messages: [{ role: "system", content: task.system }, ...conversation.messages],
      save: (messages) => {
        calls = Math.max(calls, callsIn(messages) - callsBefore);
        return conversation.save(messages.slice(1));
      },
    });
    const { input = 0, output = 0, cache } = outcome.usage ?? {};
    return {
      text: report(outcome, conversation.id),
      data: {
        ...{ status: "completed", agentId: conversation.id, prompt: task.prompt },
        content: [{ type: "text", text: outcome.text }],
        totalToolUseCount: calls,
        totalDurationMs: Math.round(performance.now() - startedAt),
        totalTokens: input + output,
        // `null` for the numbers that the endpoint does not report.
        usage: {
          input_tokens: input - (cache?.read ?? 0) - (cache?.written ?? 0),
          output_tokens: output,
          cache_creation_input_tokens: cache?.written ?? null,
          cache_read_input_tokens: cache?.read ?? null,
          ...{ server_tool_use: null, service_tier: null, cache_creation: null },
        },
      },
    };
  } catch (error) {
    throw withId(error, { id: conversation.id, signal: ctx.signal });
  }
}

/** The number of tool calls in a conversation. */
function callsIn(messages: readonly Message[]): number {
  return messages.flatMap((each) => each.role === "assistant" ? each.tool_calls ?? [] : []).length;
}

function report({ text, finish, turns, usage, leftOut, refusal }: LoopOutcome, id: string): string {
  const notes: string[] = [];
  if (finish === "max_turns") {
    notes.push(
      `[The ${plural(turns, "turn")} of max_turns are used up, and the agent is not done; this ` +
        `is its last message. Resume it to continue]`,
    );
  } else if (text.trim() === "") notes.push("[The model's last answer was empty]");
  if (finish === "length") notes.push("[The model's answer was cut at its length limit]");
  if (finish === "content_filter") notes.push(`[T${refusedBecause(refusal).slice(1)}]`);
  if (leftOut.parts > 0) {
    const parts = plural(leftOut.parts, "old tool output");
    const size = plural(leftOut.characters, "character");
    const what = `${parts} or arguments (${size})`;
    notes.push(`[To keep the conversation within its limit, ${what} had to be omitted]`);
  }
  const tokens = usage &&
    `, ${thousands(usage.input)} tokens read and ${thousands(usage.output)} written`;
  notes.push(
    `[Agent "${id}": ${plural(turns, "turn")}${tokens ?? ""}. To continue: resume "${id}"]`,
  );
  return [...(text.trim() === "" ? [] : [text.trimEnd(), ""]), ...notes].join("\n");
}

/** The error with a note on how to resume the agent. */
function withId(error: unknown, { id, signal }: { id: string; signal: AbortSignal }): Error {
  const how = `the conversation is saved: resume "${id}"`;
  if (signal.aborted) {
    const why = interruptionOf(signal) === "timeout"
      ? "The agent's time limit passed"
      : "The agent was cancelled";
    return new Error(`${why}; ${how}`, { cause: { agent: id } });
  }
  if (!(error instanceof Error)) return new Error(`${error}; ${how}`, { cause: { agent: id } });
  const message = `${error.message}; ${how}`;
  if (error instanceof CallError) {
    return new CallError(error.code, message, { ...error.details, agent: id });
  }
  return new Error(message, { cause: { ...error.cause as object, agent: id } });
}

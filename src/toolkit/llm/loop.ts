import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import type { ChatModel } from "./chat.ts";
import {
  boundConversation,
  imagesWithin,
  type LeftOut,
  MAX_CONVERSATION,
  MAX_TURN,
  shareOutput,
} from "./context.ts";
import type { Completion, Message, ToolMessage, Usage } from "./messages.ts";
import {
  type CallingContext,
  planCalls,
  type PlannedCall,
  runCalls,
  type ToolSet,
  withSoundCalls,
} from "./tool_calls.ts";

/** The result of an agent's loop. */
export interface LoopOutcome {
  /** The model's last text. */
  text: string;
  /** The reason for the end: the server's `finish_reason`, or `max_turns`. */
  finish: string;
  /** The number of requests to the model. */
  turns: number;
  /** The tokens used, as far as the server reports them. */
  usage?: Usage;
  /** The reason why a filter stopped the answer, if the server gives one. */
  refusal?: string;
  /** The amount of text left out of the conversation meanwhile. */
  leftOut: LeftOut;
}

/**
 * Asks the model and runs the tools that it calls in `session`, turn by turn, until it calls none or
 * it was asked `maxTurns` times. `save` saves the conversation, so that it can be resumed after any
 * end. Throws the errors of the model's client, an error if the conversation cannot be kept within
 * its limit, and the signal's reason.
 */
export async function runLoop(
  ctx: CallingContext & Pick<ToolContext, "progress">,
  { model, tools, session, maxTurns, save, ...start }: {
    model: Pick<ChatModel, "complete" | "api">;
    tools: ToolSet;
    session: string;
    maxTurns: number;
    messages: readonly Message[];
    save(messages: readonly Message[]): Promise<void>;
  },
): Promise<LoopOutcome> {
  const definitions = [...tools.values()].map(({ definition }) => definition);
  let messages = [...start.messages];
  const leftOut = { parts: 0, characters: 0 };
  const outcome: LoopOutcome = { text: "", finish: "max_turns", turns: 0, leftOut };
  while (outcome.turns < maxTurns) {
    const bounded = boundConversation(messages, MAX_CONVERSATION);
    messages = bounded.messages;
    leftOut.parts += bounded.leftOut.parts;
    leftOut.characters += bounded.leftOut.characters;
    const completion = await model.complete({ messages, tools: definitions });
    note(outcome, completion);
    const { message, finish } = completion;
    const isPaused = finish === "pause_turn" && message.blocks !== undefined;
    // Servers refuse an empty message in the next request.
    if (message.content ?? message.tool_calls ?? isPaused) messages.push(withSoundCalls(message));
    // Save before the calls run too: a resumed conversation must know which calls were started.
    await save(messages);
    if (message.tool_calls === undefined) {
      if (finish === "pause_turn") continue;
      return { ...outcome, text: message.content ?? "", finish };
    }
    const calls = await planCalls(message.tool_calls, tools);
    ctx.progress(`turn ${outcome.turns}: ${namesOf(calls)}`);
    const outputs = await runCalls(calls, { ctx, session });
    const texts = shareOutput(outputs.map(({ text }) => text), MAX_TURN);
    const images = model.api.takesImages ? imagesWithin(MAX_TURN, outputs) : [];
    messages.push(...outputs.map(({ isError }, place): ToolMessage => ({
      ...{ role: "tool", tool_call_id: calls[place]!.id, content: texts[place]! },
      ...(isError && { is_error: true }),
      ...(images[place]?.length && { images: images[place] }),
    })));
    await save(messages);
  }
  return outcome;
}

function namesOf(calls: readonly PlannedCall[]): string {
  const names = calls.map((call) => "tool" in call ? call.tool.name : quote(call.name, 64));
  const different = [...new Set(names)];
  return different.length <= 8
    ? different.join(", ")
    : `${different.slice(0, 8).join(", ")} and ${different.length - 8} more`;
}

function note(outcome: LoopOutcome, { message, usage, refusal }: Completion): void {
  outcome.turns++;
  if (refusal !== undefined) outcome.refusal = refusal;
  if (message.content !== null) outcome.text = message.content;
  if (usage === undefined) return;
  outcome.usage ??= { input: 0, output: 0 };
  outcome.usage.input += usage.input;
  outcome.usage.output += usage.output;
  if (usage.cache === undefined) return;
  outcome.usage.cache ??= { read: 0, written: 0 };
  outcome.usage.cache.read += usage.cache.read;
  outcome.usage.cache.written += usage.cache.written;
}

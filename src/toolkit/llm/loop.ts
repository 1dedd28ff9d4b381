import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import type { ChatModel } from "./chat.ts";
import {
  boundConversation,
  type LeftOut,
  MAX_CONVERSATION,
  MAX_TURN,
  shareOutput,
} from "./context.ts";
import type { Completion, Message, Usage } from "./messages.ts";
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
    model: Pick<ChatModel, "complete">;
    tools: ToolSet;
    session: string;
    maxTurns: number;
    messages: readonly Message[];
    save(messages: readonly Message[]): Promise<void>;
  },
): Promise<LoopOutcome> {
  const definitions = [...tools].map(([name, { description, inputSchema }]) => ({
    type: "function" as const,
    function: { name, description, parameters: inputSchema },
  }));
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
    const { message } = completion;
    // Servers refuse an empty message in the next request.
    if (message.content ?? message.tool_calls) messages.push(withSoundCalls(message));
    // Save before the calls run too: a resumed conversation must know which calls were started.
    await save(messages);
    if (message.tool_calls === undefined) {
      return { ...outcome, text: message.content ?? "", finish: completion.finish };
    }
    const calls = await planCalls(message.tool_calls, tools);
    ctx.progress(`turn ${outcome.turns}: ${namesOf(calls)}`);
    const answers = shareOutput(await runCalls(calls, { ctx, session }), MAX_TURN);
    messages.push(...answers.map((content, place): Message => (
      { role: "tool", tool_call_id: calls[place]!.id, content }
    )));
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

function note(outcome: LoopOutcome, { message, usage }: Completion): void {
  outcome.turns++;
  if (message.content !== null) outcome.text = message.content;
  if (usage === undefined) return;
  outcome.usage ??= { input: 0, output: 0 };
  outcome.usage.input += usage.input;
  outcome.usage.output += usage.output;
}

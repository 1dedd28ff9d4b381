import { thousands } from "../../base/text/amounts.ts";
import type { Message } from "./messages.ts";

/** How long a conversation may be, in characters: about 100,000 tokens. */
export const MAX_CONVERSATION = 400_000;

/** How much the tools of one turn may say together, in characters: the last two turns always fit. */
export const MAX_TURN = MAX_CONVERSATION / 4;

/** How many answers of the model stay as they are, with the tool outputs behind them. */
const KEPT_TURNS = 2;

/** What is shorter is not worth leaving out, in characters. */
const MIN_LEFT_OUT = 200;

/** A conversation within its limit, and what that took. */
export interface Bounded {
  /** The conversation. */
  messages: Message[];
  /** What was left out of it. */
  leftOut: LeftOut;
}

/** How much was left out of a conversation. */
export interface LeftOut {
  /** How many tool outputs and arguments. */
  parts: number;
  /** How many characters they had. */
  characters: number;
}

/**
 * The conversation with its oldest tool outputs left out, and if that is not enough
 * with the oldest arguments of tool calls too, when it is longer than `limit`
 * characters; then down to three quarters of that, since what is kept the same is
 * cheaper to ask again. A line stands where something was, and says so. Prompts, the
 * model's own words and the last two turns stay. Throws when they are too long.
 */
export function boundConversation(messages: readonly Message[], limit: number): Bounded {
  const bounded = [...messages];
  const leftOut: LeftOut = { parts: 0, characters: 0 };
  let size = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (size <= limit) return { messages: bounded, leftOut };
  const end = startOfLastTurns(messages);
  const note = (text: string, what: string) => {
    leftOut.parts++;
    leftOut.characters += text.length;
    return `[${thousands(text.length)} characters of ${what} were left out here to keep the ` +
      "conversation within its limit]";
  };
  for (const shorten of [withoutOutput, withoutArguments]) {
    for (let place = 0; place < end && size > limit * 0.75; place++) {
      const before = bounded[place]!;
      bounded[place] = shorten(before, note);
      size += sizeOf(bounded[place]!) - sizeOf(before);
    }
  }
  if (size <= limit) return { messages: bounded, leftOut };
  throw new Error(
    `Cannot go on with a conversation of ${thousands(size)} characters, of which no more can be ` +
      `left out: the limit is ${thousands(limit)}; start a new agent with a shorter prompt`,
    { cause: { characters: size, limit } },
  );
}

type Note = (text: string, what: string) => string;

function withoutOutput(message: Message, note: Note): Message {
  if (message.role !== "tool" || message.content.length <= MIN_LEFT_OUT) return message;
  return { ...message, content: note(message.content, "output") };
}

function withoutArguments(message: Message, note: Note): Message {
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => {
    const { name, arguments: text } = call.function;
    if (text.length <= MIN_LEFT_OUT) return call;
    // What is left is JSON too: servers refuse arguments that are not.
    const left = JSON.stringify({ left_out: note(text, "arguments") });
    return { ...call, function: { name, arguments: left } };
  });
  return { ...message, tool_calls: calls };
}

/**
 * Cuts the outputs of one turn so that together they take at most `limit`
 * characters: the longest first, in the middle, and each says what is left out.
 */
export function shareOutput(outputs: readonly string[], limit: number): string[] {
  let left = limit;
  const shares = new Map<number, number>();
  const shortestFirst = outputs.map(({ length }, place) => ({ length, place }))
    .sort((a, b) => a.length - b.length);
  for (const [done, { length, place }] of shortestFirst.entries()) {
    const share = Math.min(length, Math.floor(left / (outputs.length - done)));
    shares.set(place, share);
    left -= share;
  }
  return outputs.map((text, place) => cut(text, shares.get(place)!));
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 4);
  const out = thousands(text.length - limit);
  const note = `[${out} characters were left out here: the outputs of one turn are too long ` +
    "together; ask for less at once]";
  const [head, end] = [text.slice(0, limit - tail), text.slice(text.length - tail)];
  // A pair of surrogates may have been cut in two.
  return `${head.toWellFormed()}\n${note}\n${end.toWellFormed()}`;
}

/** Where the last turns start, which stay whole. */
function startOfLastTurns(messages: readonly Message[]): number {
  const turns = messages.flatMap(({ role }, place) => role === "assistant" ? [place] : []);
  return turns.at(-KEPT_TURNS) ?? 0;
}

function sizeOf(message: Message): number {
  const { content, ...rest } = message;
  return (content ?? "").length + JSON.stringify(rest).length;
}

import { thousands } from "../../base/text/amounts.ts";
import type { Image, Message } from "./messages.ts";

/** The longest conversation, in characters: about 100,000 tokens. */
export const MAX_CONVERSATION = 400_000;

/** The longest output of all tools of one turn, in characters: the last two turns always fit. */
export const MAX_TURN = MAX_CONVERSATION / 4;

/** The number of last answers of the model that stay whole, with the tool outputs after them. */
const KEPT_TURNS = 2;

/** The shortest text that is worth leaving out, in characters. */
const MIN_LEFT_OUT = 200;

/** The size of a small image, in characters of text: about 1,600 tokens. */
const MIN_IMAGE = 6_400;

/** The base64 characters of a large image that count as one character of text. */
const IMAGE_CHARACTERS = 64;

/** The largest image that the API takes, in base64 characters: 5 MB. */
const MAX_IMAGE = 5_000_000;

/** The number of tool outputs and arguments that were left out, and of their characters. */
export type LeftOut = { parts: number; characters: number };

/**
 * Shortens a conversation that is longer than `limit` characters. It leaves out the oldest tool
 * outputs, then the oldest arguments of tool calls, until three quarters of the limit are left: the
 * next requests then repeat the same text, which is cheaper. A note replaces each text. Prompts, the
 * model's own words and the last two turns stay. Throws if these are too long.
 */
export function boundConversation(
  messages: readonly Message[],
  limit: number,
): { messages: Message[]; leftOut: LeftOut } {
  const bounded = [...messages];
  const leftOut: LeftOut = { parts: 0, characters: 0 };
  let size = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (size <= limit) return { messages: bounded, leftOut };
  const turns = messages.flatMap(({ role }, place) => role === "assistant" ? [place] : []);
  const end = turns.at(-KEPT_TURNS) ?? 0;
  const note = (text: string, what: string) => {
    leftOut.parts++;
    leftOut.characters += text.length;
    return `[${thousands(text.length)} characters of ${what} were omitted here to keep the ` +
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
    `Cannot continue a conversation of ${thousands(size)} characters; nothing more can be ` +
      `omitted, and the limit is ${thousands(limit)}; start a new agent with a shorter prompt`,
    { cause: { characters: size, limit } },
  );
}

type Note = (text: string, what: string) => string;

function withoutOutput(message: Message, note: Note): Message {
  if (message.role !== "tool") return message;
  const { images: _, ...rest } = message;
  const isShort = message.content.length <= MIN_LEFT_OUT;
  return isShort ? rest : { ...rest, content: note(message.content, "output") };
}

function withoutArguments(message: Message, note: Note): Message {
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => {
    const { name, arguments: text } = call.function;
    if (text.length <= MIN_LEFT_OUT) return call;
    // The note is JSON too, because servers refuse other arguments.
    const left = JSON.stringify({ left_out: note(text, "arguments") });
    return { ...call, function: { name, arguments: left } };
  });
  return { ...message, tool_calls: calls };
}

/**
 * Truncates the outputs of one turn to `limit` characters in all: the longest first, each in its
 * middle, with a note on what is left out.
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
  const note =
    `[${out} characters omitted: the outputs of one turn are too long in total; request less at once]`;
  const [head, end] = [text.slice(0, limit - tail), text.slice(text.length - tail)];
  // The cut may have split a surrogate pair.
  return `${head.toWellFormed()}\n${note}\n${end.toWellFormed()}`;
}

function sizeOf(message: Message): number {
  const { content, ...rest } = message;
  if (!("images" in rest)) return (content ?? "").length + JSON.stringify(rest).length;
  const { images = [], ...others } = rest;
  const shown = images.reduce((sum, image) => sum + imageSize(image), 0);
  return (content ?? "").length + shown + JSON.stringify(others).length;
}

/** The size of an image as characters of text, by its tokens, and by its bytes if these are many. */
function imageSize({ data }: Image): number {
  return Math.max(MIN_IMAGE, Math.ceil(data.length / IMAGE_CHARACTERS));
}

/** The images of each output of a turn, as many as fit into a size of `limit` characters. */
export function imagesWithin(
  limit: number,
  outputs: readonly { images: readonly Image[] }[],
): Image[][] {
  let left = limit;
  return outputs.map(({ images }) =>
    images.filter((image) => {
      const fits = image.data.length <= MAX_IMAGE && imageSize(image) <= left;
      if (fits) left -= imageSize(image);
      return fits;
    })
  );
}

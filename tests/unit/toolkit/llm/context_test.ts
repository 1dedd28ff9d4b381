import { expect } from "@std/expect";
import { boundConversation, shareOutput } from "../../../../src/toolkit/llm/context.ts";
import type { Message } from "../../../../src/toolkit/llm/messages.ts";

/** A conversation of `turns` turns, each with one output that repeats its number `length` times. */
function conversation(turns: number, length: number): Message[] {
  const turn = (count: number): Message[] => [
    {
      role: "assistant",
      content: `Turn ${count}`,
      tool_calls: [{
        ...{ id: `call_${count}`, type: "function" },
        function: { name: "Read", arguments: "{}" },
      }],
    },
    { role: "tool", tool_call_id: `call_${count}`, content: String(count).repeat(length) },
  ];
  return [
    { role: "system", content: "You are an agent" },
    { role: "user", content: "The task" },
    ...Array.from({ length: turns }, (_, count) => turn(count)).flat(),
  ];
}

const outputs = (messages: readonly Message[]) =>
  messages.flatMap(({ role, content }) => role === "tool" ? [content] : []);
const omission =
  "[1,000 characters of output were omitted here to keep the conversation within its limit]";

Deno.test("context > a conversation within its limit stays unchanged", () => {
  const messages = conversation(5, 1_000);
  expect(boundConversation(messages, 10_000)).toEqual({
    messages,
    leftOut: { parts: 0, characters: 0 },
  });
});

Deno.test("context > a conversation over its limit loses its oldest outputs first, with a note", () => {
  const messages = conversation(8, 1_000);
  const bounded = boundConversation(messages, 8_000);
  expect(outputs(bounded.messages).map((text) => text === omission)).toEqual(
    [true, true, true, true, false, false, false, false],
  );
  expect(bounded.leftOut).toEqual({ parts: 4, characters: 4_000 });
  const others = (each: readonly Message[]) => each.filter(({ role }) => role !== "tool");
  expect(others(bounded.messages)).toEqual(others(messages));
  // The given messages are not changed.
  expect(messages).toEqual(conversation(8, 1_000));
  // No output is omitted twice.
  expect(boundConversation(bounded.messages, 8_000).leftOut.parts).toBe(0);
});

Deno.test("context > the last two turns stay whole, and a conversation that is still too long is an error", () => {
  const bounded = boundConversation(conversation(4, 1_000), 3_000);
  expect(outputs(bounded.messages).map((text) => text === omission))
    .toEqual([true, true, false, false]);
  const rows: [messages: Message[], limit: number][] = [
    [conversation(2, 1_000), 2_000],
    [conversation(50, 100), 3_000],
    [[{ role: "user", content: "x".repeat(1_001) }], 1_000],
  ];
  for (const [messages, limit] of rows) {
    expect(() => boundConversation(messages, limit)).toThrow(
      /^Cannot continue a conversation of [\d,]+ characters; nothing more can be omitted/,
    );
  }
});

Deno.test("context > the oldest arguments are omitted after the outputs, and stay valid JSON", () => {
  const messages = conversation(6, 300).map((message) =>
    message.role === "assistant"
      ? {
        ...message,
        tool_calls: message.tool_calls!.map((call) => ({
          ...call,
          function: { name: "Write", arguments: JSON.stringify({ content: "x".repeat(987) }) },
        })),
      }
      : message
  );
  const bounded = boundConversation(messages, 6_000);
  const args = bounded.messages.flatMap((message) =>
    message.role === "assistant" ? message.tool_calls![0]!.function.arguments : []
  );
  expect(args.map((text) => Object.keys(JSON.parse(text))[0])).toEqual(
    ["left_out", "left_out", "left_out", "left_out", "content", "content"],
  );
  expect(args[0]).toContain("[1,001 characters of arguments were omitted here");
  expect(bounded.leftOut.parts).toBe(8);
});

Deno.test("context > the outputs of one turn share the limit, and short ones stay whole", () => {
  expect(shareOutput(["a".repeat(50), "b".repeat(50)], 100)).toEqual([
    "a".repeat(50),
    "b".repeat(50),
  ]);
  const [short, long, longer] = shareOutput([
    "a".repeat(10),
    "b".repeat(400),
    `${"c".repeat(899)}!`,
  ], 810);
  expect(short).toBe("a".repeat(10));
  expect(long).toBe("b".repeat(400));
  expect(longer).toContain("[500 characters omitted");
  expect(longer).toMatch(/^c{300}\n\[.*\]\nc{99}!$/);
  expect(shareOutput([], 100)).toEqual([]);
});

Deno.test("context > a cut does not split a character", () => {
  const [text] = shareOutput(["👋".repeat(100)], 75);
  expect(text!.isWellFormed()).toBe(true);
});

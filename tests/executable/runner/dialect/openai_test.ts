/** OpenAI's chat completions: calls and answers have the types of its package. */
import { expect } from "@std/expect";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
} from "openai/resources/chat/completions";
import { temporaryDirectory } from "../../../support/executable.ts";
import { answer, fill, PIXEL_BYTES } from "./message.ts";

const flags = ["--allow-read=.", "--format=same"];

const read = (id: string, path: string): ChatCompletionMessageToolCall => ({
  id,
  type: "function",
  function: { name: "fs_read", arguments: JSON.stringify({ path }) },
});

Deno.test("openai > a tool call is answered with a tool message", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const expected: ChatCompletionToolMessageParam = {
    role: "tool",
    tool_call_id: "call_1",
    content: "first\n",
  };
  const { exit, printed } = await answer(read("call_1", "a.txt"), { flags, cwd: directory.path });
  expect({ exit, printed }).toEqual({ exit: 0, printed: expected });
});

Deno.test("openai > every call of a message is answered in order, also a failed call", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const message: ChatCompletionAssistantMessageParam = {
    role: "assistant",
    content: "I look into the files.",
    tool_calls: [
      read("a", "a.txt"),
      read("b", "missing.txt"),
      { id: "b", type: "function", function: { name: "fs_read", arguments: '{"path":' } },
      { id: "c", type: "function", function: { name: "fs_list", arguments: "" } },
      { id: "d", type: "function", function: { name: "fs_list", arguments: "[]" } },
      { id: "e\n\u2028", type: "function", function: { name: "nothing_like_it", arguments: "{}" } },
      { id: "f", type: "custom", custom: { name: "shell", input: "ls" } },
    ],
  };
  const says = [
    ["a", "first\n"],
    ["b", 'Error: Cannot read "missing.txt"'],
    ["b", 'Error: Cannot read the arguments of "fs_read": their text'],
    ["c", "a.txt\npixel.png"],
    ["d", 'Error: Cannot read the tool call: "arguments" is an array, not an object'],
    ["e\n\u2028", 'Error: Unknown tool "nothing_like_it"'],
    ["f", 'Error: Cannot read the tool call: calls of type "custom" are not understood'],
  ];
  const { exit, printed } = await answer(message, { flags, cwd: directory.path });
  const messages = printed as ChatCompletionToolMessageParam[];
  expect(messages.map(({ role, tool_call_id }) => [role, tool_call_id]))
    .toEqual(says.map(([id]) => ["tool", id]));
  for (const [place, [, text]] of says.entries()) {
    expect(messages[place]?.content).toMatch(new RegExp(`^${RegExp.escape(text!)}`));
  }
  // The first failure is that of the missing file.
  expect(exit).toBe(1);
  const list = await answer(message.tool_calls, { flags, cwd: directory.path });
  expect(list.printed).toEqual(printed);
});

Deno.test("openai > an entry that is not a call fails by itself, and its answer has its id", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const message = {
    role: "assistant",
    tool_calls: [null, { id: "a", type: "later" }, { id: "b" }, read("c", "a.txt")],
  };
  const { exit, printed } = await answer(message, { flags, cwd: directory.path });
  const refused = (id: string, type: string) => ({
    role: "tool",
    tool_call_id: id,
    content: `Error: Cannot read the tool call: calls ${type} are not understood; expected one ` +
      'JSON object such as {"name":"fs.read","arguments":{"path":"README.md"}}',
  });
  expect(printed).toEqual([
    refused("", "without a type"),
    refused("a", 'of type "later"'),
    refused("b", "without a type"),
    { role: "tool", tool_call_id: "c", content: "first\n" },
  ]);
  expect(exit).toBe(3);
});

Deno.test("openai > an image is named in the text, because a tool message contains only text", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const call: ChatCompletionMessageToolCall = {
    id: "1",
    type: "function",
    function: {
      name: "Read",
      arguments: JSON.stringify({ file_path: `${directory.path}/pixel.png` }),
    },
  };
  const { printed } = await answer(call, { flags, cwd: directory.path });
  expect((printed as ChatCompletionToolMessageParam).content).toContain(
    `[image image/png, ${PIXEL_BYTES} bytes; omitted: a tool message can contain only text]`,
  );
});

Deno.test("openai > a call may have no type, and an object as its arguments", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const call = { id: 7, function: { name: "fs_read", arguments: { path: "a.txt" } } };
  const { printed } = await answer(call, { flags, cwd: directory.path });
  expect(printed).toEqual({ role: "tool", tool_call_id: 7, content: "first\n" });
});

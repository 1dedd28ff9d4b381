/** OpenAI's Responses: calls and answers have the types of its package. */
import { expect } from "@std/expect";
import type {
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import { temporaryDirectory } from "../../../support/executable.ts";
import { answer, fill, PIXEL, PIXEL_BYTES } from "./message.ts";

const flags = ["--allow-read=.", "--format=same"];

const call = (id: string, name: string, args: unknown): ResponseFunctionToolCall => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(args),
});

Deno.test("responses > a function call is answered with its output", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const expected: ResponseInputItem.FunctionCallOutput = {
    type: "function_call_output",
    call_id: "1",
    output: "first\n",
  };
  const { exit, printed } = await answer(call("1", "fs_read", { path: "a.txt" }), {
    flags,
    cwd: directory.path,
  });
  expect({ exit, printed }).toEqual({ exit: 0, printed: expected });
});

Deno.test("responses > the calls of an output are answered, and other items are ignored", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const output: ResponseOutputItem[] = [
    { type: "reasoning", id: "rs_1", summary: [] },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "I look.", annotations: [] }],
    },
    call("1", "Read", { file_path: `${directory.path}/pixel.png` }),
    call("2", "fs_read", { path: "a.txt", mode: 1 }),
  ];
  const { exit, printed } = await answer(output, { flags, cwd: directory.path });
  const picture: ResponseInputItem.FunctionCallOutput = {
    type: "function_call_output",
    call_id: "1",
    output: [
      { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PIXEL}` },
      { type: "input_text", text: `[PNG image, 1 × 1, ${PIXEL_BYTES} bytes]` },
    ],
  };
  const failed: ResponseInputItem.FunctionCallOutput = {
    type: "function_call_output",
    call_id: "2",
    output:
      'Error: Invalid arguments for "fs.read":\n- /mode: unknown argument "mode"; available: path',
  };
  expect(printed).toEqual([picture, failed]);
  expect(exit).toBe(5);
  const whole = await answer({ object: "response", output }, { flags, cwd: directory.path });
  expect(whole.printed).toEqual(printed);
});

Deno.test("responses > the call of an unknown custom tool fails by itself, and is answered in its form", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const custom: ResponseCustomToolCall = {
    type: "custom_tool_call",
    call_id: "1",
    name: "shell",
    input: "ls",
  };
  const refused: ResponseInputItem = {
    type: "custom_tool_call_output",
    call_id: "1",
    output: 'Error: Cannot read the tool call: calls of type "custom_tool_call" are not ' +
      "understood; expected one JSON object such as " +
      '{"name":"fs.read","arguments":{"path":"README.md"}}',
  };
  const read: ResponseInputItem = {
    type: "function_call_output",
    call_id: "2",
    output: "first\n",
  };
  const output = [custom, call("2", "fs_read", { path: "a.txt" })];
  const { exit, printed } = await answer(output, { flags, cwd: directory.path });
  expect({ exit, printed }).toEqual({ exit: 3, printed: [refused, read] });
  const single = await answer(custom, { flags, cwd: directory.path });
  expect(single).toEqual({ exit: 3, printed: refused });
});

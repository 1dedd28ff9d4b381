/** Every kind of block in every format, and the output for each kind of input. */
import { expect } from "@std/expect";
import type { Format } from "../../../../src/runner/dialect/incoming.ts";
import type { ContentBlock } from "../../../../src/base/content.ts";
import { renderAs } from "../../../../src/runner/dialect/model_apis.ts";
import type { CallResult } from "../../../../src/runner/call/failure.ts";
import { oneLine, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { answer, fill, PIXEL, PIXEL_BYTES } from "./message.ts";

const blocks: [block: ContentBlock, says: string[]][] = [
  [{ type: "text", text: "plain" }, ["plain"]],
  [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }, ["[audio audio/wav, 3 bytes"]],
  [{ type: "image", data: "AAA=", mimeType: "image/bmp" }, ["[image image/bmp, 2 bytes"]],
  [
    {
      type: "resource_link",
      uri: "file:///a.md",
      name: "a",
      description: "The text",
      mimeType: "text/markdown",
      size: 5,
    },
    ["[resource file:///a.md, a, text/markdown, 5 bytes] The text"],
  ],
  [
    { type: "resource", resource: { uri: "x:1", mimeType: "text/plain", text: "inside" } },
    ["[resource x:1]", "inside"],
  ],
  [
    { type: "resource", resource: { uri: "x:2", mimeType: "application/pdf", blob: "AA==" } },
    ["[resource x:2, application/pdf, 1 bytes"],
  ],
];

const targets: Exclude<Format, "same" | "mcp">[] = ["openai", "responses", "anthropic", "text"];

for (const target of targets) {
  Deno.test(`render > ${target} renders every kind of block`, () => {
    const result = { content: blocks.map(([block]) => block), isError: false } as CallResult;
    const text = renderAs(target, [{ id: "1", result }], false);
    const said = target === "text" ? text : JSON.parse(text);
    const all = JSON.stringify(said).replaceAll("\\n", "\n");
    for (const [, says] of blocks) for (const each of says) expect(all).toContain(each);
  });
}

Deno.test("render > an embedded image is rendered as an image", () => {
  const resource = { uri: "x:1", mimeType: "image/png", blob: PIXEL };
  const result = { content: [{ type: "resource", resource }], isError: true } as unknown;
  const answers = [{ id: "1", result: result as CallResult }];
  expect(renderAs("anthropic", answers, false)).toContain('"media_type":"image/png"');
  expect(JSON.parse(renderAs("responses", answers, false)).output).toEqual([
    { type: "input_text", text: "Error: " },
    { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PIXEL}` },
  ]);
});

Deno.test("render > an answer for Anthropic, which refuses empty texts, has no empty text", () => {
  const of = (...texts: string[]) => {
    const content = texts.map((text) => ({ type: "text" as const, text }));
    return JSON.parse(
      renderAs("anthropic", [{ id: "1", result: { content, isError: false } }], false),
    );
  };
  expect(of("")).toEqual({ type: "tool_result", tool_use_id: "1", is_error: false });
  expect(of("", " \n").content).toEqual([{ type: "text", text: '[white space: " \\n"]' }]);
});

const call = {
  id: "7",
  type: "function",
  function: { name: "fs_read", arguments: '{"path":"a.txt"}' },
};
const params = { name: "fs.read", arguments: { path: "a.txt" } };
const content = [{ type: "text", text: "first\n" }];

const forms: [name: string, value: unknown, flags: string[], expected: unknown][] = [
  ["MCP params by default", params, [], { content, isError: false }],
  ["MCP params in their own form", params, ["--format=same"], { content, isError: false }],
  ["MCP params for OpenAI, without an id", params, ["--format=openai"], {
    role: "tool",
    tool_call_id: "",
    content: "first\n",
  }],
  ["an OpenAI call by default, with its id", call, [], {
    content,
    isError: false,
    _meta: { "toolcall/call": { id: "7" } },
  }],
  ["a message by default, as a list", { role: "assistant", tool_calls: [call] }, [], [{
    content,
    isError: false,
    _meta: { "toolcall/call": { id: "7" } },
  }]],
  ["an OpenAI message for Anthropic", { role: "assistant", tool_calls: [call] }, [
    "--format=anthropic",
  ], {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "7", content, is_error: false }],
  }],
  [
    "a JSON-RPC request, always as its response",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params,
    },
    ["--format=openai"],
    { jsonrpc: "2.0", id: 1, result: { content, isError: false } },
  ],
];

for (const [name, value, flags, expected] of forms) {
  Deno.test(`call > --format > the format of the result is right: ${name}`, async () => {
    using directory = temporaryDirectory();
    fill(directory.path);
    const all = ["--allow-read=.", ...flags];
    expect((await answer(value, { flags: all, cwd: directory.path })).printed).toEqual(expected);
  });
}

Deno.test("call > --format=text prints only the text, also of a failure, and names images", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const run = (...args: string[]) =>
    toolcall(["--allow-read=.", "--format=text", ...args], { cwd: directory.path });
  expect(await run("fs.read", '{"path":"a.txt"}')).toEqual({
    code: 0,
    stdout: "first\n",
    stderr: "",
  });
  expect(await run("fs.read", '{"path":"b.txt"}')).toMatchObject({
    code: 1,
    stdout: 'Cannot read "b.txt": no such file; similar: "a.txt"\n',
  });
  const image = await run("Read", JSON.stringify({ file_path: `${directory.path}/pixel.png` }));
  expect(image.stdout).toContain(`[image image/png, ${PIXEL_BYTES} bytes]\n`);
});

const malformed: [name: string, value: unknown, says: string][] = [
  ["a message without a call", { role: "assistant", content: "Hi" }, "contains no tool call"],
  [
    "a message of Anthropic's without a call",
    { role: "assistant", content: [{ type: "text", text: "" }] },
    "no tool call",
  ],
  ["a message with no calls", { role: "assistant", content: "", tool_calls: [] }, "no tool call"],
  [
    "a list of two dialects",
    [call, { type: "tool_use", id: "1", name: "a", input: {} }],
    "an array",
  ],
  ["a tool's definition", { type: "function", name: "a", parameters: {} }, 'type "function"'],
  ["an empty list", [], "an array"],
];

for (const [name, value, says] of malformed) {
  Deno.test(`call > ${name} is malformed`, async () => {
    const { exit, printed } = await answer(value, { flags: ["-A"], cwd: "/" });
    expect(exit).toBe(3);
    expect(JSON.stringify(printed)).toContain(JSON.stringify(says).slice(1, -1));
  });
}

Deno.test("call > J8 a message runs 128 calls, and each further call gets an error", async () => {
  using directory = temporaryDirectory();
  const calls = Array.from({ length: 130 }, (_, place) => ({
    type: "function_call",
    call_id: String(place),
    name: "no_such_tool_at_all",
    arguments: "{}",
  }));
  const { exit, printed } = await answer(calls, { flags: ["--format=same"], cwd: directory.path });
  const outputs = (printed as { call_id: string; output: string }[]).map(({ output }) => output);
  expect(outputs).toHaveLength(130);
  expect(outputs.filter((output) => output.includes("Unknown tool"))).toHaveLength(128);
  expect(outputs.slice(128).every((output) => output.includes("128 calls at most"))).toBe(true);
  expect(exit).toBe(4);
});

Deno.test("check > the calls of a message are all checked, and none is run", async () => {
  using directory = temporaryDirectory();
  const message = {
    role: "assistant",
    tool_calls: [
      {
        id: "1",
        type: "function",
        function: { name: "fs_write", arguments: '{"path":"x","content":""}' },
      },
      { id: "2", type: "function", function: { name: "fs_read", arguments: "{}" } },
    ],
  };
  const run = await toolcall(["check", "--allow-write=."], {
    stdin: JSON.stringify(message),
    cwd: directory.path,
  });
  expect(run.code).toBe(5);
  const [first, second] = oneLine(run) as Record<string, unknown>[];
  expect(first).toMatchObject({ tool: "fs.write", granted: true });
  expect(second).toMatchObject({ isError: true });
  expect([...Deno.readDirSync(directory.path)]).toEqual([]);
});

Deno.test("call > --format and --repair-json are not passed to the process of a background task", async () => {
  using directory = temporaryDirectory();
  const run = await toolcall(
    [
      ...["-A", "--session=formats", "--format", "openai", "--repair-json"],
      ...["Bash", '{"command":"true","run_in_background":"true",}'],
    ],
    { cwd: directory.path },
  );
  expect(run.code).toBe(0);
  expect((oneLine(run) as { content: string }).content).toMatch(
    /^Started in the background as task_/,
  );
});

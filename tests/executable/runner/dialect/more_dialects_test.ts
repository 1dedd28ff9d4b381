/** Messages of further model APIs and SDKs, which `--format=same` answers in their own form. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { answer, fill, PIXEL } from "./message.ts";

const args = { path: "a.txt" };
const text = JSON.stringify(args);
/** The arguments of a call that fails, and the text of its failure. */
const bad = { path: "b.txt" };
const failure = 'Cannot read "b.txt": no such file; similar: "a.txt"';

const rows: [name: string, message: unknown, answered: unknown][] = [
  ["Gemini, a part", { functionCall: { id: "f1", name: "fs_read", args } }, {
    functionResponse: { id: "f1", name: "fs_read", response: { output: "first\n" } },
  }],
  ["Gemini, a content", {
    role: "model",
    parts: [{ text: "I look." }, { functionCall: { name: "fs_read", args } }, {
      functionCall: { name: "fs_read", args: bad },
    }],
  }, {
    role: "user",
    parts: [
      { functionResponse: { name: "fs_read", response: { output: "first\n" } } },
      { functionResponse: { name: "fs_read", response: { error: failure } } },
    ],
  }],
  ["Gemini, a response", {
    candidates: [{
      content: { role: "model", parts: [{ functionCall: { name: "fs_read", args } }] },
    }],
    modelVersion: "m",
  }, {
    role: "user",
    parts: [{ functionResponse: { name: "fs_read", response: { output: "first\n" } } }],
  }],
  ["Bedrock, a block", { toolUse: { toolUseId: "t1", name: "fs_read", input: args } }, {
    toolResult: { toolUseId: "t1", content: [{ text: "first\n" }], status: "success" },
  }],
  ["Bedrock, a response", {
    output: {
      message: {
        role: "assistant",
        content: [{ text: "I look." }, {
          toolUse: { toolUseId: "t1", name: "fs_read", input: bad },
        }],
      },
    },
    stopReason: "tool_use",
  }, {
    role: "user",
    content: [{ toolResult: { toolUseId: "t1", content: [{ text: failure }], status: "error" } }],
  }],
  ["OpenAI, a completion", {
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{
      index: 0,
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: "c1",
          type: "function",
          function: { name: "fs_read", arguments: text },
        }],
      },
    }],
  }, [{ role: "tool", tool_call_id: "c1", content: "first\n" }]],
  ["OpenAI, the deprecated function_call", {
    role: "assistant",
    content: null,
    function_call: { name: "fs_read", arguments: text },
  }, [{ role: "function", name: "fs_read", content: "first\n" }]],
  ["Mistral and Cohere, camel case", {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "c1", function: { name: "fs_read", arguments: args } }, {
      id: "c2",
      type: "function",
      function: { name: "fs_read", arguments: JSON.stringify(bad) },
    }],
  }, [
    { role: "tool", toolCallId: "c1", content: "first\n" },
    { role: "tool", toolCallId: "c2", content: `Error: ${failure}` },
  ]],
  ["Cohere, a response", {
    id: "1",
    finishReason: "TOOL_CALL",
    message: {
      role: "assistant",
      toolPlan: "I look.",
      toolCalls: [{ id: "c1", type: "function", function: { name: "fs_read", arguments: text } }],
    },
  }, [{ role: "tool", toolCallId: "c1", content: "first\n" }]],
  ["Ollama, a response", {
    model: "m",
    message: {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "fs_read", arguments: args } }],
    },
    done: true,
  }, [{ role: "tool", tool_name: "fs_read", content: "first\n" }]],
  ["AI SDK, a part", {
    type: "tool-call",
    toolCallId: "c1",
    toolName: "fs_read",
    input: args,
  }, {
    type: "tool-result",
    toolCallId: "c1",
    toolName: "fs_read",
    output: { type: "text", value: "first\n" },
  }],
  ["AI SDK, a message", {
    role: "assistant",
    content: [{ type: "text", text: "I look." }, {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "fs_read",
      input: bad,
    }],
  }, {
    role: "tool",
    content: [{
      type: "tool-result",
      toolCallId: "c1",
      toolName: "fs_read",
      output: { type: "error-text", value: failure },
    }],
  }],
  ["LangChain, a message", {
    type: "ai",
    content: "",
    tool_calls: [{ name: "fs_read", args, id: "c1", type: "tool_call" }],
  }, [{
    type: "tool",
    name: "fs_read",
    tool_call_id: "c1",
    content: "first\n",
    status: "success",
  }]],
  ["LangChain, as toJSON writes it", {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: {
      content: "",
      tool_calls: [{ name: "fs_read", args: bad, id: "c1", type: "tool_call" }],
    },
  }, [{
    type: "tool",
    name: "fs_read",
    tool_call_id: "c1",
    content: failure,
    status: "error",
  }]],
  ["LangChain, the tool calls", [{ name: "fs_read", args, id: "c1", type: "tool_call" }], [{
    type: "tool",
    name: "fs_read",
    tool_call_id: "c1",
    content: "first\n",
    status: "success",
  }]],
  ["a list of calls", [{ name: "fs_read", arguments: args }, { id: "2", name: "fs_read", args }], [
    { content: [{ type: "text", text: "first\n" }], isError: false },
    {
      content: [{ type: "text", text: "first\n" }],
      isError: false,
      _meta: {
        "toolcall/repaired": [{ path: "", rule: "arguments_key", from: "args" }],
        "toolcall/call": { id: "2" },
      },
    },
  ]],
  ["Llama's form", { name: "fs_read", parameters: args }, {
    content: [{ type: "text", text: "first\n" }],
    isError: false,
    _meta: { "toolcall/repaired": [{ path: "", rule: "arguments_key", from: "parameters" }] },
  }],
];

for (const [name, message, answered] of rows) {
  Deno.test(`dialects > a call is answered in its own form: ${name}`, async () => {
    using directory = temporaryDirectory();
    fill(directory.path);
    const flags = ["--allow-read=.", "--format=same"];
    const { printed } = await answer(message, { flags, cwd: directory.path });
    const said = JSON.parse(
      JSON.stringify(printed).replaceAll(new RegExp(`${directory.path}/`, "g"), ""),
    );
    expect(said).toEqual(answered);
  });
}

Deno.test("dialects > an image is in the image field of the API's answer", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const path = `${directory.path}/pixel.png`;
  const flags = ["--allow-read=.", "--format=same"];
  const printed = async (message: unknown) =>
    (await answer(message, { flags, cwd: directory.path })).printed as Record<string, never>;
  const input = { file_path: path };
  // Each answer also has a text with the size of the image.
  const parts = async (message: unknown) => JSON.stringify(await printed(message));
  expect(await parts({ functionCall: { name: "Read", args: input } }))
    .toContain(`"parts":[{"inlineData":{"data":"${PIXEL}","mimeType":"image/png"}}]`);
  expect(await parts({ toolUse: { toolUseId: "1", name: "Read", input } }))
    .toContain(`{"image":{"format":"png","source":{"bytes":"${PIXEL}"}}}`);
  expect(await parts({ type: "tool-call", toolCallId: "1", toolName: "Read", input }))
    .toContain(`{"type":"file","data":{"type":"data","data":"${PIXEL}"},"mediaType":"image/png"}`);
});

const malformed: [name: string, message: unknown, says: string][] = [
  ["several choices", {
    choices: [1, 2].map((index) => ({ index, message: { role: "assistant", content: "" } })),
  }, "the response has 2 choices; pass one of their messages"],
  ["several candidates", {
    candidates: [1, 2].map(() => ({ content: { role: "model", parts: [] } })),
  }, "the response has 2 candidates"],
  ["an unknown key in Gemini's call", { functionCall: { name: "fs_read", arg: {} } }, '"arg"'],
  ["a call that is not an object", { toolUse: 3 }, '"toolUse" is a number, not an object'],
  ["a message without a call", { role: "assistant", content: "Hi" }, "contains no tool call"],
];

Deno.test("dialects > an unreadable message is a malformed_call, and nothing runs", async () => {
  for (const [name, message, says] of malformed) {
    const run = await toolcall(["-A"], { stdin: JSON.stringify(message) });
    expect({ name, code: run.code }).toEqual({ name, code: 3 });
    expect(JSON.parse(run.stdout).content?.[0].text ?? run.stdout).toContain(says);
  }
});

const texts: [form: string, text: string, arguments_: Record<string, unknown>[]][] = [
  [
    "hermes",
    'I look.\n<tool_call>\n{"name": "fs_read", "arguments": {"path": "a.txt"}}\n</tool_call>\n' +
    '<tool_call>{"name": "fs_read", "arguments": {"path": "a.txt"}}',
    [args, args],
  ],
  [
    "qwen",
    "<tool_call>\n<function=Read>\n<parameter=file_path>\n$DIR/a.txt\n</parameter>\n" +
    "<parameter=limit>\n1\n</parameter>\n</function>\n</tool_call>",
    [{ file_path: "$DIR/a.txt", limit: 1 }],
  ],
  ["pythonic", "[fs_read(path='a.txt'), fs_read(path=\"a\\x2etxt\")]", [args, args]],
  ["mistral", '[TOOL_CALLS] [{"name": "fs_read", "arguments": {"path": "a.txt"}}]</s>', [args]],
  ["mistral", '[TOOL_CALLS]fs_read[ARGS]{"path": "a.txt"}[TOOL_CALLS]fs_read{"path":"a.txt"}', [
    args,
    args,
  ]],
];

for (const [form, text, wanted] of texts) {
  for (const parse of [form, "auto"]) {
    Deno.test(`--parse=${parse} > the form ${form} is read: ${text.slice(0, 30)}`, async () => {
      using directory = temporaryDirectory();
      fill(directory.path);
      const cwd = directory.path;
      const stdin = text.replaceAll("$DIR", cwd);
      const checked = await toolcall(["check", "--allow-read=.", `--parse=${parse}`], {
        stdin,
        cwd,
      });
      const given = JSON.parse(checked.stdout) as { arguments: Record<string, unknown> }[];
      expect(given.length).toBe(wanted.length);
      wanted.forEach((each, at) =>
        expect(given[at]!.arguments).toMatchObject(
          JSON.parse(JSON.stringify(each).replaceAll("$DIR", cwd)),
        )
      );
      const run = await toolcall(["--allow-read=.", `--parse=${parse}`], { stdin, cwd });
      expect(run.code).toBe(0);
      const message = JSON.stringify({ role: "assistant", content: stdin });
      const same = await toolcall(["--allow-read=.", `--parse=${parse}`], { stdin: message, cwd });
      expect(same).toEqual(run);
    });
  }
}

Deno.test("--parse > a text without a call is malformed, as is any text without the flag", async () => {
  const says = async (flags: string[], stdin: string) => {
    const { code, stdout } = await toolcall(["-A", ...flags], { stdin });
    return [code, JSON.parse(stdout).content[0].text as string] as const;
  };
  const rows: [form: string, says: string][] = [
    ["hermes", "contains no call in the form hermes"],
    ["auto", "hermes, qwen, pythonic, mistral"],
  ];
  for (const [form, wanted] of rows) {
    const [code, said] = await says([`--parse=${form}`], "Hello");
    expect(code).toBe(3);
    expect(said).toContain(wanted);
  }
  expect((await says(["--parse=pythonic"], "[f(a=open('x'))]"))[1]).toContain("expected a value");
  expect((await says([], texts[0]![1]))[0]).toBe(3);
  expect((await toolcall(["--parse=xml"], { stdin: "" })).stderr).toContain("Invalid --parse=xml");
});

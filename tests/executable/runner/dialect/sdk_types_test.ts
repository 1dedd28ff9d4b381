/**
 * Round trips with the types of the SDKs: each call has the SDK's type, and its answer the type of
 * the SDK's next request. The compiler checks the output of the executable.
 */
// tier: machine
import { expect } from "@std/expect";
import { installPackages } from "../../../../scripts/bench/npm_packages.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { answer, fill } from "./message.ts";

/** The SDKs. OpenAI and Anthropic also have their own tests. */
const PACKAGES = [
  ...["@google/genai@3.1.0", "@aws-sdk/client-bedrock-runtime@3.1164.0", "ai@7.0.173"],
  ...["@mistralai/mistralai@2.7.0", "cohere-ai@8.1.0", "ollama@0.6.4", "@langchain/core@1.4.0"],
  ...["openai@7.57.0"],
] as const;

const name = "fs_read";
const args = { path: "a.txt" };
const bad = { path: "b.txt" };

/** A message with two calls, whose second call fails, and its types in TypeScript. */
interface RoundTrip {
  api: string;
  /** The imports of the types. */
  imports: string;
  /** The type of the message. */
  given: string;
  message: unknown;
  /** The type of the answer in the next request. */
  answered: string;
}

const trips: readonly RoundTrip[] = [
  {
    api: "gemini",
    imports: 'import type { Content, Candidate } from "@google/genai";',
    given: "{ candidates: Candidate[] }",
    message: {
      candidates: [{
        index: 0,
        content: {
          role: "model",
          parts: [{ text: "I look." }, { functionCall: { id: "1", name, args } }, {
            functionCall: { id: "2", name, args: bad },
          }],
        },
      }],
    },
    answered: "Content",
  },
  {
    api: "bedrock",
    imports:
      'import type { ConverseCommandOutput, Message } from "@aws-sdk/client-bedrock-runtime";',
    given: 'Pick<ConverseCommandOutput, "output" | "stopReason">',
    message: {
      stopReason: "tool_use",
      output: {
        message: {
          role: "assistant",
          content: [{ text: "I look." }, { toolUse: { toolUseId: "t1", name, input: args } }, {
            toolUse: { toolUseId: "t2", name, input: bad },
          }],
        },
      },
    },
    answered: "Message",
  },
  {
    api: "mistral",
    imports:
      'import type { AssistantMessage, ToolMessage } from "@mistralai/mistralai/models/components";',
    given: "AssistantMessage",
    message: {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "c1", type: "function", index: 0, function: { name, arguments: args } },
        { id: "c2", function: { name, arguments: JSON.stringify(bad) } },
      ],
    },
    answered: '(ToolMessage & { role: "tool" })[]',
  },
  {
    api: "cohere",
    imports: 'import type { Cohere } from "cohere-ai";',
    given: "Cohere.V2ChatResponse",
    message: {
      id: "1",
      finishReason: "TOOL_CALL",
      message: {
        role: "assistant",
        toolPlan: "I look.",
        toolCalls: [
          { id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } },
          { id: "c2", type: "function", function: { name, arguments: JSON.stringify(bad) } },
        ],
      },
    },
    answered: "Cohere.ChatMessageV2.Tool[]",
  },
  {
    api: "ollama",
    imports: 'import type { ChatResponse, Message } from "ollama";',
    given: 'Pick<ChatResponse, "model" | "message" | "done">',
    message: {
      model: "m",
      done: true,
      message: {
        role: "assistant",
        content: "",
        tool_calls: [{ function: { name, arguments: args } }, {
          function: { name, arguments: bad },
        }],
      },
    },
    answered: "Message[]",
  },
  {
    api: "ai-sdk",
    imports: 'import type { AssistantModelMessage, ToolModelMessage } from "ai";',
    given: "AssistantModelMessage",
    message: {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "c1", toolName: name, input: args },
        { type: "tool-call", toolCallId: "c2", toolName: name, input: bad },
        {
          type: "tool-call",
          toolCallId: "c3",
          toolName: "Read",
          input: { file_path: "$DIR/pixel.png" },
        },
      ],
    },
    answered: "ToolModelMessage",
  },
  {
    api: "langchain",
    imports: 'import type { AIMessageFields, ToolMessageFields } from "@langchain/core/messages";',
    given: 'AIMessageFields & { type: "ai" }',
    message: {
      type: "ai",
      content: "",
      tool_calls: [
        { name, args, id: "c1", type: "tool_call" },
        { name, args: bad, id: "c2", type: "tool_call" },
      ],
    },
    answered: '(ToolMessageFields & { type: "tool" })[]',
  },
  {
    api: "openai",
    imports:
      'import type { ChatCompletion, ChatCompletionToolMessageParam } from "openai/resources/chat/completions";',
    given: 'Pick<ChatCompletion, "choices" | "object">',
    message: {
      object: "chat.completion",
      choices: [{
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: {
          ...{ role: "assistant", content: null, refusal: null },
          tool_calls: [
            { id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } },
            { id: "c2", type: "function", function: { name, arguments: JSON.stringify(bad) } },
          ],
        },
      }],
    },
    answered: "ChatCompletionToolMessageParam[]",
  },
];

/**
 * A type of Gemini's SDK in its JSON form: an enum is a string, and the API accepts numbers for the
 * 64-bit integers that the SDK types as strings.
 */
const WIRE = `
type Long = "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties";
type Wire<T> = T extends string ? \`\${T}\`
  : T extends (infer U)[] ? Wire<U>[]
  : T extends object ? { [K in keyof T]: K extends Long ? number : Wire<T[K]> }
  : T;`;

/** The types of tool definitions, as `list --format` prints them. */
const definitions: readonly [format: string, imports: string, type: string][] = [
  ["gemini", `import type { Tool } from "@google/genai";\n${WIRE}`, "Wire<Tool>[]"],
  [
    "bedrock",
    'import type { ToolConfiguration } from "@aws-sdk/client-bedrock-runtime";',
    "ToolConfiguration",
  ],
  ["mistral", 'import type { Tool } from "@mistralai/mistralai/models/components";', "Tool[]"],
  ["cohere", 'import type { Cohere } from "cohere-ai";', "Cohere.ToolV2[]"],
  ["ollama", 'import type { Tool } from "ollama";', "Tool[]"],
  [
    "langchain",
    'import type { ToolDefinition } from "@langchain/core/language_models/base";',
    "ToolDefinition[]",
  ],
  [
    "ai-sdk",
    'import type { JSONSchema7 } from "ai";',
    "Record<string, { description: string; inputSchema: JSONSchema7 }>",
  ],
  [
    "openai",
    'import type { ChatCompletionTool } from "openai/resources/chat/completions";',
    "ChatCompletionTool[]",
  ],
];

/**
 * A file in TypeScript whose constants have these types, if the compiler agrees. With `isOpen` they
 * may have more properties than the types.
 */
function moduleOf(
  imports: string,
  constants: readonly [type: string, value: unknown][],
  { isOpen = false } = {},
): string {
  const lines = constants.map(([type, value], at) => {
    const json = JSON.stringify(value);
    return isOpen
      ? `const json${at} = ${json};\nexport const value${at}: ${type} = json${at};`
      : `export const value${at}: ${type} = ${json};`;
  });
  return [imports, ...lines, ""].join("\n");
}

Deno.test("dialects > calls and answers have the types of the SDKs", async (t) => {
  using directory = temporaryDirectory();
  const [cwd, types] = [`${directory.path}/files`, `${directory.path}/types`];
  Deno.mkdirSync(cwd);
  Deno.mkdirSync(types);
  fill(cwd);
  const write = (file: string, text: string) => Deno.writeTextFileSync(`${types}/${file}.ts`, text);
  for (const { api, imports, given, message, answered } of trips) {
    const asked = JSON.parse(JSON.stringify(message).replaceAll("$DIR", cwd));
    const flags = ["--allow-read=.", "--format=same"];
    const { exit, printed } = await answer(asked, { flags, cwd });
    // The second call fails.
    expect({ api, exit }).toEqual({ api, exit: 1 });
    expect(JSON.stringify(printed)).toContain("no such file");
    write(`call_${api}`, moduleOf(imports, [[given, asked], [answered, printed]]));
  }
  for (const [format, imports, type] of definitions) {
    const { code, stdout } = await toolcall(["list", `--format=${format}`]);
    expect({ format, code }).toEqual({ format, code: 0 });
    // Ollama's type lists only some keywords of a schema, and its API takes all.
    const isOpen = format === "ollama";
    const list = JSON.parse(stdout);
    const constants: [type: string, value: unknown][] = isOpen
      ? list.map((tool: unknown) => [type.slice(0, -2), tool])
      : [[type, list]];
    write(`list_${format}`, moduleOf(imports, constants, { isOpen }));
  }
  let modules: string;
  try {
    modules = await installPackages(PACKAGES);
  } catch (error) {
    // deno-lint-ignore no-console -- The user must see why a test is skipped.
    return console.log(`skipped: the types of the SDKs: ${(error as Error).message}`);
  }
  Deno.symlinkSync(modules, `${types}/node_modules`);
  Deno.copyFileSync(`${modules}/../package.json`, `${types}/package.json`);
  const check = async (...files: string[]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--no-config", "--no-lock", "--node-modules-dir=manual", ...files],
      ...{ cwd: types, env: { NO_COLOR: "1" }, stdin: "null" },
    }).output();
    return { code, errors: new TextDecoder().decode(stderr).trim().slice(0, 3_000) };
  };
  const files = [...Deno.readDirSync(types)].map(({ name }) => name).filter((name) =>
    name.endsWith(".ts")
  );
  expect(files.length).toBe(trips.length + definitions.length);
  expect(await check(...files)).toEqual({ code: 0, errors: "" });
  await t.step("the compiler finds a wrong answer", async () => {
    write(
      "wrong",
      moduleOf('import type { Message } from "@aws-sdk/client-bedrock-runtime";', [
        ["Message", { role: "user", content: [{ toolResult: { id: "t1" } }] }],
      ]),
    );
    expect((await check("wrong.ts")).errors).toContain("ToolResultBlock");
  });
});

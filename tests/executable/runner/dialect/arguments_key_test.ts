/** Arguments under another key are accepted or refused, and never dropped. */
import { expect } from "@std/expect";
import { oneLine, type Result, toolcall } from "../../../support/executable.ts";
import { initialize, listen, Peer } from "../../../support/mcp/peer.ts";
import {
  ARGS,
  commonRows,
  forms,
  NAME,
  otherRows,
  sceneOf,
  testKey,
  TEXT,
} from "./arguments_keys.ts";

for (const row of commonRows) testKey(row);

Deno.test("arguments > a key of another dialect is reported as a repair, and refused with --strict", async () => {
  using scene = sceneOf();
  for (const key of ["args", "parameters", "input"]) {
    const stdin = JSON.stringify({ name: NAME, [key]: ARGS });
    const run = await toolcall(["--allow-read=."], { stdin, cwd: scene.path });
    expect(oneLine(run)).toHaveProperty(
      ["_meta", "toolcall/repaired"],
      [{ path: "", rule: "arguments_key", from: key }],
    );
    const strict = await toolcall(["--allow-read=.", "--strict"], { stdin, cwd: scene.path });
    expect(strict.code).toBe(3);
    expect(strict.stdout).toContain(`\\"${key}\\"`);
  }
});

Deno.test("arguments > a call with two keys is malformed, and the error names both", async (t) => {
  using scene = sceneOf();
  const pairs: [form: string, given: Record<string, unknown>][] = [
    ["a call by itself", { arguments: ARGS, args: {} }],
    ["a call by itself", { input: ARGS, parameters: {} }],
    ["a call by itself", { arguments: {}, arguements: ARGS }],
    ["JSON-RPC", { arguments: ARGS, input: ARGS }],
    ["a tool_use", { input: ARGS, arguments: ARGS }],
    ["a function", { arguments: TEXT, parameters: ARGS }],
    ["a function_call", { arguments: TEXT, input: ARGS }],
  ];
  for (const [form, given] of pairs) {
    await t.step(`${form}: ${Object.keys(given)}`, async () => {
      const stdin = JSON.stringify(forms[form]!(given));
      const run = await toolcall(["--allow-read=."], { stdin, cwd: scene.path });
      expect(run.code).toBe(3);
      for (const key of Object.keys(given)) expect(run.stdout).toContain(`\\"${key}\\"`);
    });
  }
});

Deno.test("arguments > keys of the envelope and keys that SDKs add are ignored", async (t) => {
  using scene = sceneOf();
  const envelope = { id: "1", call_id: "2", index: 0, _meta: { a: 1 } };
  const calls: [name: string, value: unknown][] = [
    ["a call", { ...envelope, name: NAME, arguments: ARGS }],
    ["a call of type function", { ...envelope, type: "function", name: NAME, arguments: ARGS }],
    ["MCP's params", { name: NAME, arguments: ARGS, task: {}, requestState: "a" }],
    ["Bedrock's toolUse", { toolUseId: "1", name: NAME, input: ARGS }],
    ["JSON-RPC", forms["JSON-RPC"]!({ arguments: ARGS, _meta: {}, task: {}, inputResponses: {} })],
    ["a tool_use", forms["a tool_use"]!({ input: ARGS, caller: {}, cache_control: null })],
    [
      "LiteLLM's",
      forms["a tool call"]!({
        ...{ index: 0, provider_specific_fields: {} },
        function: { name: NAME, arguments: TEXT },
      }),
    ],
    [
      "Gemini's by OpenAI's API",
      forms["a tool call"]!({
        extra_content: { google: { thought_signature: "a" } },
        function: { name: NAME, arguments: TEXT },
      }),
    ],
    ["a parsed call", forms["a function"]!({ arguments: TEXT, parsed_arguments: ARGS })],
  ];
  for (const [name, value] of calls) {
    await t.step(name, async () => {
      const stdin = JSON.stringify(value);
      const run = await toolcall(["--allow-read=."], { stdin, cwd: scene.path });
      expect(run.stdout).toContain("below.txt");
      expect(run.code).toBe(0);
    });
  }
});

Deno.test("arguments > missing arguments are {}, and the input of a tool_use must not be a string", async () => {
  using scene = sceneOf();
  for (const form of Object.keys(forms).filter((each) => each !== "a call with a type")) {
    const stdin = JSON.stringify(forms[form]!({}));
    const run = await toolcall(["--allow-read=."], { stdin, cwd: scene.path });
    expect(run.stdout).toContain("top.txt");
    expect(run.code).toBe(0);
  }
  const stdin = JSON.stringify(forms["a tool_use"]!({ input: TEXT }));
  const run = await toolcall(["-A"], { stdin });
  expect((oneLine(run) as Result).content[0]?.text).toContain('"input" is a string, not an object');
});

Deno.test("arguments > a call of a message with a misspelled key fails by itself", async () => {
  using scene = sceneOf();
  const toolCalls = [
    { id: "a", type: "function", function: { name: NAME, parameters: ARGS } },
    { id: "b", type: "function", function: { name: NAME, arguments: TEXT } },
  ];
  const stdin = JSON.stringify({ role: "assistant", tool_calls: toolCalls });
  const run = await toolcall(["--allow-read=."], { stdin, cwd: scene.path });
  const [first, second] = oneLine(run) as Result[];
  expect(run.code).toBe(3);
  expect(first?.content[0]?.text).toContain('"parameters"');
  expect(second?.content[0]?.text).toBe("below.txt");
});

for (const transport of ["stdio", "http"] as const) {
  Deno.test(`arguments > tools/call over ${transport} accepts only the key "arguments"`, async () => {
    using scene = sceneOf();
    const flags = ["--allow-read=.", `--state-dir=${scene.path}/.state`];
    await using server = transport === "stdio"
      ? await peerOf(flags, scene.path)
      : await clientOf(flags, scene.path);
    for (const [given, acceptedBy] of [...commonRows, ...otherRows]) {
      const [key] = Object.keys(given) as [string];
      if (typeof given[key] === "string") continue;
      const { result, error } = await server.call({ name: NAME, ...given });
      expect(JSON.stringify(result ?? "")).not.toContain("top.txt");
      if (acceptedBy.includes("JSON-RPC")) {
        expect(result?.content[0].text).toBe("below.txt");
      } else {
        expect(error?.code).toBe(-32602);
        expect(error?.message).toContain(`"${key}"`);
      }
    }
    for (const key of ["args", "arguments", "parms"]) {
      const { error, id } = await server.call({ name: NAME }, { [key]: ARGS });
      expect([id === null, error?.code]).toEqual([false, -32600]);
      expect(error?.message).toContain(`"${key}"`);
      expect(error?.data).toMatchObject({ code: "malformed_call", keys: [key] });
    }
    const some = await server.call({ name: NAME, arguments: ARGS, args: {} });
    expect(some.error?.message).toContain('"args"');
    const { result } = await server.call({ name: NAME, arguments: ARGS, _meta: {}, task: {} });
    expect(result?.content[0].text).toBe("below.txt");
  });
}

/** A server, and the function that makes a call of it. */
interface Called extends AsyncDisposable {
  /** Makes a call. `more` has keys beside `params`. */
  call(
    params: Record<string, unknown>,
    more?: Record<string, unknown>,
  ): Promise<Awaited<ReturnType<Peer["answer"]>>>;
}

async function peerOf(flags: string[], cwd: string): Promise<Called> {
  const peer = Peer.start(flags, { cwd });
  await peer.initialize();
  return {
    call: (params, more) => peer.request("tools/call", params, more),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

async function clientOf(flags: string[], cwd: string): Promise<Called> {
  const server = await listen(flags, { cwd });
  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const begun = await ask(initialize);
  await begun.text();
  const headers = {
    "mcp-session-id": begun.headers.get("mcp-session-id")!,
    "mcp-protocol-version": "2025-11-25",
  };
  return {
    async call(params, more = {}) {
      const body = { jsonrpc: "2.0", id: 7, method: "tools/call", params, ...more };
      const text = await (await ask(body, headers)).text();
      const messages = [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data]) => JSON.parse(data!));
      return messages.find(({ id }) => id === 7) ?? JSON.parse(text);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

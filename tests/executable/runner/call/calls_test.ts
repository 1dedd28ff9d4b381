import { expect } from "@std/expect";
import {
  call,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../support/executable.ts";

const bytes = (...values: number[]) => new Uint8Array(values);
const utf16 = (value: string) =>
  bytes(0xff, 0xfe, ...[...value].flatMap((character) => [character.charCodeAt(0), 0]));
const readArguments = (json: string) => `{"name":"fs.read","arguments":${json}}`;

Deno.test("call > J1 every malformed input gets one line of JSON and exit code 3", async (t) => {
  const inputs: [name: string, input: string | Uint8Array, says: string][] = [
    ["no input", "", "empty"],
    ["white space", " \n\t ", "empty"],
    ["null", "null", "null"],
    ["an array", "[]", "an array"],
    ["a string", '"x"', "a string"],
    ["a number", "1", "a number"],
    ["no name", "{}", '"name" is missing'],
    ["a name that is not a string", '{"name":5}', '"name" is a number'],
    ["arguments that are not an object", readArguments("[]"), '"arguments" is an array'],
    ["two documents", '{"name":"a"}{"name":"b"}', "not JSON"],
    ["half a document", '{"name":', "not JSON"],
    ["UTF-16", utf16('{"name":"a"}'), "UTF-16"],
    ["invalid UTF-8", bytes(0x7b, 0x80, 0x7d), "not UTF-8"],
    ["a NUL at the end", '{"name":"a"}\0', "not JSON"],
    ["depth 100,000", "[".repeat(100_000), "nested deeper than 2000 levels"],
    ["depth 100,000, closed", "[".repeat(1e5) + "]".repeat(1e5), "nested deeper"],
    [
      "depth 100,000 with a long number",
      "[".repeat(1e5) + "1234567890123456" + "]".repeat(1e5),
      "nested deeper",
    ],
    ["code fences", "```json\n{}\n```", "not JSON"],
    ["comments", '{"name":"a"} // x', "not JSON"],
    ["single quotes", "{'name':'a'}", "not JSON"],
    ["a trailing comma", '{"name":"a",}', "not JSON"],
    ["Python literals", '{"name":None}', "not JSON"],
    ["a type that is not a string", '{"type":{"toString":1},"name":"a"}', "an object"],
    ["another dialect", '{"type":"tool_result","name":"a","input":{}}', "tool_result"],
  ];
  for (const [name, input, says] of inputs) {
    await t.step(name, async () => {
      const run = await toolcall(["-A"], { stdin: input });
      const result = oneLine(run) as Result;
      expect(run.code).toBe(3);
      expect(result.isError).toBe(true);
      expect(result._meta?.["toolcall/error"].code).toBe("malformed_call");
      expect(result.content[0]?.text).toContain(says);
      expect(run.stderr).toBe("");
    });
  }
});

Deno.test("call > an input may have a byte order mark and large numbers beside its arguments", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/b`, "second");
  const run = await toolcall(["-A"], {
    stdin: `\ufeff{"name":"fs.read","arguments":{"path":"b"},"_meta":9007199254740992}`,
    cwd: directory.path,
  });
  expect(oneLine(run)).toMatchObject({ content: [{ type: "text", text: "second" }] });
});

Deno.test("call > an unknown tool is never guessed, and only a similar name is suggested", async (t) => {
  const names: [name: string, nearest: string | undefined][] = [
    ["Grpe", "Grep"],
    ["fs.raed", "fs.read"],
    ["constructor", undefined],
    ["__proto__", undefined],
    ["toString", undefined],
    ["../x", undefined],
    ["a;id", undefined],
    ["", undefined],
    ["x".repeat(10_000), undefined],
    ["a\u001b[31m\nb", undefined],
  ];
  for (const [name, nearest] of names) {
    await t.step(JSON.stringify(name.slice(0, 20)), async () => {
      const result = await call(name, {}, { flags: ["-A"] });
      expect(result.exit).toBe(4);
      expect(result._meta?.["toolcall/error"]["nearest"]).toBe(nearest);
      // deno-lint-ignore no-control-regex
      expect(result.text).not.toMatch(/[\u0000-\u001f]/);
      expect(result.text.length).toBeLessThan(400);
    });
  }
});

Deno.test("call > the error names every problem of the arguments, with its path", async () => {
  const result = await call("Read", { file_path: 5, offset: "x", "__proto": 1, limit: -1 });
  expect(result.exit).toBe(5);
  const { problems } = result._meta!["toolcall/error"] as unknown as {
    problems: { path: string; message: string }[];
  };
  expect(problems.map(({ path }) => path).sort()).toEqual([
    "/__proto",
    "/file_path",
    "/limit",
    "/offset",
  ]);
  for (const { path } of problems) expect(result.text).toContain(`- ${path}: `);
  expect(result.text).toContain('got "x" (integer');
});

Deno.test("call > the error shows a wrong value as JSON", async () => {
  const result = await call("Read", { file_path: 'C:\\x "y"' });
  expect(result.text).toContain('got "C:\\\\x \\"y\\"" (string');
});

Deno.test("call > an unreadable stdin is a malformed call", async () => {
  const { executable } = await import("../../../support/executable.ts");
  const run = await new Deno.Command("sh", { args: ["-c", '"$0" -A </', executable] }).output();
  expect(run.code).toBe(3);
  expect(new TextDecoder().decode(run.stdout)).toContain("stdin cannot be read");
});

Deno.test("call > keys named __proto__ and constructor are unknown arguments", async () => {
  const run = await toolcall(["-A"], {
    stdin: readArguments('{"path":"x","__proto__":{"a":1},"constructor":2}'),
  });
  expect(run.code).toBe(5);
  expect(run.stdout).toContain("/__proto__: unknown argument");
  expect(run.stdout).toContain("/constructor: unknown argument");
});

Deno.test("call > a JSON-RPC request gets a JSON-RPC response", async (t) => {
  const ask = async (request: unknown, flags = ["-A"]) => {
    const run = await toolcall(flags, { stdin: JSON.stringify(request) });
    return { code: run.code, response: oneLine(run) as Record<string, unknown> };
  };
  const request = (params: unknown, method = "tools/call") => ({
    jsonrpc: "2.0",
    id: "a-1",
    method,
    params,
  });
  const errors: [name: string, request: unknown, code: number, exit: number][] = [
    ["an unknown tool", request({ name: "nope" }), -32601, 4],
    ["a call with bad arguments", request({ name: "fs.read", arguments: {} }), -32602, 5],
    ["a request without params", request(undefined), -32602, 3],
    ["an unknown method", request({}, "initialize"), -32601, 3],
    ["a method that is not a string", { ...request({}), method: { toString: 1 } }, -32600, 3],
    ["another version", { ...request({ name: "x" }), jsonrpc: "1.0" }, -32600, 3],
  ];
  for (const [name, asked, code, exit] of errors) {
    await t.step(`${name} is a protocol error`, async () => {
      const answered = await ask(asked);
      expect(answered.code).toBe(exit);
      expect(answered.response).toMatchObject({ jsonrpc: "2.0", id: "a-1", error: { code } });
    });
  }
  await t.step("a refusal is a result", async () => {
    const { code, response } = await ask(
      request({ name: "fs.read", arguments: { path: "x" } }),
      [],
    );
    expect(code).toBe(6);
    expect(response).toMatchObject({ id: "a-1", result: { isError: true } });
  });
  await t.step("a missing id is answered with null", async () => {
    const { code, response } = await ask({ jsonrpc: "2.0", method: "tools/list" });
    expect(code).toBe(3);
    expect(response).toMatchObject({ id: null, error: { code: -32600 } });
  });
  await t.step("tools/list returns the catalog", async () => {
    const { code, response } = await ask({ jsonrpc: "2.0", id: 7, method: "tools/list" });
    expect(code).toBe(0);
    const { tools } = response["result"] as { tools: { name: string; inputSchema: unknown }[] };
    expect(tools.map(({ name }) => name)).toContain("Read");
    expect(tools.every(({ inputSchema }) => typeof inputSchema === "object")).toBe(true);
  });
});

Deno.test("call > J8 a call ends quietly when the reader closes the pipe", async () => {
  const { executable } = await import("../../../support/executable.ts");
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/big`, "x\n".repeat(120_000));
  const { stderr, stdout } = await new Deno.Command("sh", {
    args: [
      "-c",
      `printf '{"name":"fs.read","arguments":{"path":"big"}}' | "$0" --allow-read=. | head -c 10`,
      executable,
    ],
    cwd: directory.path,
  }).output();
  expect(new TextDecoder().decode(stdout)).toBe('{"content"');
  expect(new TextDecoder().decode(stderr)).toBe("");
});

import { expect } from "@std/expect";
import { readSubmittedLine } from "../../../../src/runner/submit/submitted_line.ts";

const read = (line: unknown) =>
  readSubmittedLine(typeof line === "string" ? line : JSON.stringify(line), 7, {});

const own = { name: "Read", arguments: { file_path: "a" } };
const openai = {
  id: "call_1",
  type: "function",
  function: { name: "Read", arguments: '{"file_path":"a"}' },
};
const responses = {
  id: "fc_1",
  type: "function_call",
  call_id: "call_2",
  name: "Read",
  arguments: '{"file_path":"a"}',
};
const anthropic = { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a" } };
const rpc = { jsonrpc: "2.0", id: 3, method: "tools/call", params: own };
const bedrock = { toolUseId: "tooluse_1", name: "Read", input: { file_path: "a" } };

Deno.test("submitted line > the id is that of the line, else that of the call, else the line number", async () => {
  const lines: [line: unknown, id: string | number][] = [
    [own, 7],
    [{ ...own, id: "x" }, "x"],
    [{ ...own, id: 0 }, 0],
    [{ ...own, id: "" }, 7],
    [{ ...own, id: null }, 7],
    [openai, "call_1"],
    [responses, "call_2"],
    [anthropic, "toolu_1"],
    [rpc, 3],
    [bedrock, "tooluse_1"],
    [{ role: "assistant", content: [anthropic] }, "toolu_1"],
    [{ call: own }, 7],
    [{ call: anthropic }, "toolu_1"],
    [{ id: "y", call: own }, "y"],
    [{ id: 12, call: anthropic }, 12],
    [{ id: "y", call: { ...own, id: "z" } }, "y"],
    [{ id: "y", call: rpc }, "y"],
  ];
  for (const [line, id] of lines) {
    const { calls } = await read(line);
    expect({ line, ids: calls.map((call) => call.id) }).toEqual({ line, ids: [id] });
    const [{ incoming }] = calls as [typeof calls[0] & object];
    expect("call" in incoming && incoming.call)
      .toMatchObject({ name: "Read", arguments: { file_path: "a" } });
  }
});

Deno.test("submitted line > each call of a message keeps its id, unless the line has one", async () => {
  const message = { role: "assistant", tool_calls: [openai, { ...openai, id: "call_9" }] };
  const ids = async (line: unknown) => (await read(line)).calls.map(({ id }) => id);
  expect(await ids(message)).toEqual(["call_1", "call_9"]);
  expect(await ids({ id: "m", call: message })).toEqual(["m", "m"]);
  expect(await ids({ id: "resp_1", object: "response", output: [{ ...responses, call_id: "" }] }))
    .toEqual([7]);
});

Deno.test("submitted line > an unreadable line is a failure with its number, and its id if it has one", async () => {
  const lines: [line: unknown, id: string | number, says: string][] = [
    ["{", 7, "is not JSON"],
    [[], 7, "an array"],
    ['"Read"', 7, "a string"],
    [{ id: "x", name: 5 }, "x", '"name" is a number'],
    [{ id: "x", ...own, input: {} }, "x", "hold arguments"],
    [{ id: "x", name: "Read", agruments: {} }, "x", 'did you mean "arguments"'],
    [{ id: "x", call: own, arguments: {} }, "x", 'beside "call"'],
    [{ id: {}, call: own }, 7, '"id" is an object'],
    [{ id: null, call: own }, 7, '"id" is null'],
    [{ id: "x", call: { id: "x", call: own } }, "x", 'the key "call"'],
    [{ id: "x", call: null }, "x", "the call is null"],
    [{ jsonrpc: "2.0", id: 4, method: "tools/list" }, 4, "a line must be a call"],
    [{ jsonrpc: "2.0", id: 4, method: "ping" }, 4, "ping"],
    [{ role: "assistant", content: [{ type: "text", text: "a" }] }, 7, "no tool call"],
  ];
  for (const [line, id, says] of lines) {
    const { calls: [call, ...others] } = await read(line);
    expect(others).toEqual([]);
    expect({ line, id: call!.id }).toEqual({ line, id });
    if (!("failure" in call!.incoming)) throw new Error(`${JSON.stringify(line)} was read`);
    const { code, message, details } = call!.incoming.failure;
    expect(code).toBe("malformed_call");
    expect(message).toMatch(/^Line 7: /);
    expect(message).toContain(says);
    expect(details["line"]).toBe(7);
  }
});

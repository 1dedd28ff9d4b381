/** The result lines of `submit`, and its exit code. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { existsFile } from "../../../support/nats_server.ts";
import { until } from "../../../support/wait.ts";
import { bashCall, readCall, RunningSubmit, submit } from "./submitted.ts";

/** A directory with a file of one line. */
function scene() {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "alpha\n");
  return { path: directory.path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const text = (result: { content: { text: string }[] }) => result.content[0]!.text;

Deno.test("submit > a call of every dialect runs, and its result has the id of the line or the call, or the line number", async () => {
  using here = scene();
  const input = { file_path: `${here.path}/a.txt` };
  const openai = {
    id: "call_1",
    type: "function",
    function: { name: "Read", arguments: JSON.stringify(input) },
  };
  const lines = [
    { name: "Read", arguments: input },
    "",
    "  \t\r",
    { id: "own", name: "Read", arguments: input },
    openai,
    { type: "function_call", call_id: "call_2", name: "Read", arguments: JSON.stringify(input) },
    { type: "tool_use", id: "toolu_1", name: "Read", input },
    { jsonrpc: "2.0", id: 17, method: "tools/call", params: { name: "Read", arguments: input } },
    { role: "assistant", content: null, tool_calls: [{ ...openai, id: "call_3" }] },
    { name: "Read", args: input },
    { id: "line", call: { ...openai, id: "call_4" } },
    `\ufeff${JSON.stringify({ name: "Read", arguments: input })}\r`,
  ];
  const { code, results, stderr } = await submit(lines, { flags: ["-A", "--ordered"] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(results.map(({ id }) => id))
    .toEqual([1, "own", "call_1", "call_2", "toolu_1", 17, "call_3", 10, "line", 12]);
  for (const { id, _meta, ...result } of results) {
    expect({ id, ...result })
      .toEqual({ id, content: [{ type: "text", text: "     1\talpha\n" }], isError: false });
    const meta: Record<string, unknown> = {
      10: { "toolcall/repaired": [{ path: "", rule: "arguments_key", from: "args" }] },
      line: { "toolcall/call": { id: "call_4" } },
    };
    expect({ id, _meta }).toEqual({ id, _meta: meta[id] });
  }
});

Deno.test("submit > the last line needs no newline, and an empty input is no failure", async () => {
  using here = scene();
  const last = JSON.stringify(readCall(`${here.path}/a.txt`));
  const run = await toolcall(["submit", "-A"], { stdin: last });
  expect(JSON.parse(run.stdout)).toMatchObject({ id: 1, isError: false });
  for (const stdin of ["", "\n\n", " "]) {
    expect(await toolcall(["submit"], { stdin })).toEqual({ code: 0, stdout: "", stderr: "" });
  }
});

Deno.test("submit > an invalid line gets an error with its number, and the next lines run", async () => {
  using here = scene();
  const good = readCall(`${here.path}/a.txt`);
  const lines: [line: unknown, id: string | number, says: string, code?: string][] = [
    ['{"name":"Read"', 1, "is not JSON"],
    [{ id: "two", ...good, input: {} }, "two", "hold arguments"],
    ["[1]", 3, "an array"],
    [{ id: "four", call: good, more: 1 }, "four", "more"],
    [{ jsonrpc: "2.0", id: 5, method: "tools/list" }, 5, "a line must be a call"],
    ['{"name":"Read","arguments":{"file_path":"a","file_path":"b"}}', 6, "twice"],
    [`${"[".repeat(3_000)}${"]".repeat(3_000)}`, 7, "nested deeper"],
  ];
  const { code, results } = await submit([...lines.map(([line]) => line), good], {
    flags: ["-A", "--ordered"],
  });
  expect(code).toBe(1);
  expect(results).toHaveLength(lines.length + 1);
  for (const [at, [line, id, says]] of lines.entries()) {
    const { isError, _meta, ...result } = results[at]!;
    expect({ line, id: result.id, isError }).toEqual({ line, id, isError: true });
    expect(text(result)).toMatch(new RegExp(`^Line ${at + 1}: `));
    expect(text(result)).toContain(says);
    expect(_meta?.["toolcall/error"]).toMatchObject({ code: "malformed_call", line: at + 1 });
  }
  expect(results.at(-1)).toMatchObject({ id: 8, isError: false });
});

Deno.test("submit > a line that is not UTF-8 or over 64 MiB gets an error, and the next line runs", async () => {
  using here = scene();
  const encoder = new TextEncoder();
  const good = encoder.encode(`${JSON.stringify(readCall(`${here.path}/a.txt`))}\n`);
  const wrong = encoder.encode('{"name":"Read","arguments":{"file_path":"\u0000"}}\n')
    .map((byte) => byte === 0 ? 0xff : byte);
  const long = new Uint8Array(65 * 1024 * 1024).fill(0x20);
  long[0] = 0x7b;
  long[long.length - 1] = 0x0a;
  const parts = [good, wrong, long, good];
  const stdin = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    stdin.set(part, at);
    at += part.length;
  }
  const { code, stdout } = await toolcall(["submit", "-A", "--ordered"], { stdin });
  const results = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  expect(code).toBe(1);
  expect(results.map(({ isError }) => isError)).toEqual([false, true, true, false]);
  expect(text(results[1])).toContain("Line 2: Cannot read the tool call: the input is not UTF-8");
  expect(text(results[2])).toContain("Line 3: Cannot read the tool call: the input is larger than");
  expect(results[3].id).toBe(4);
});

Deno.test("submit > the calls of a message run in their order, and each gets a result line", async () => {
  using here = scene();
  const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
  const message = {
    role: "assistant",
    content: [
      { type: "text", text: "I write a file, and read it." },
      // time: a read that did not wait for this call would come before the write
      use("w", "Bash", { command: `sleep 0.3; echo written > ${here.path}/b.txt` }),
      use("r", "Read", { file_path: `${here.path}/b.txt` }),
      use("bad", "Read", { file: 1 }),
    ],
  };
  const { code, results } = await submit([message, { id: "m", call: message }]);
  expect(code).toBe(1);
  const own = results.filter(({ id }) => id !== "m");
  expect(own.map(({ id, isError }) => [id, isError]))
    .toEqual([["w", false], ["r", false], ["bad", true]]);
  expect(text(own[1]!)).toBe("     1\twritten\n");
  const named = results.filter(({ id }) => id === "m");
  expect(named.map(({ _meta }) => (_meta as Record<string, unknown>)["toolcall/call"]))
    .toEqual(["w", "r", "bad"].map((id) => ({ id })));
});

Deno.test("submit > results come when calls end, or with --ordered in the order of the lines", async () => {
  using here = scene();
  for (const isOrdered of [false, true]) {
    const go = `${here.path}/go-${isOrdered}`;
    await using running = new RunningSubmit([
      ...["-A", "--jobs=2"],
      ...(isOrdered ? ["--ordered"] : []),
    ]);
    await running.send(
      bashCall(`until [ -e ${go} ]; do sleep 0.02; done`),
      bashCall(`touch ${here.path}/second-${isOrdered}`),
      readCall(`${here.path}/a.txt`),
    );
    const early = isOrdered ? [] : [await running.next(), await running.next()];
    expect(early.map(({ id }) => id)).toEqual(isOrdered ? [] : [2, 3]);
    expect(await until(() => existsFile(`${here.path}/second-${isOrdered}`))).toBe(true);
    Deno.writeTextFileSync(go, "");
    await running.close();
    const { code, results } = await running.end();
    expect(code).toBe(0);
    expect(results.map(({ id }) => id)).toEqual(isOrdered ? [1, 2, 3] : [1]);
  }
});

Deno.test("submit > --jobs is the number of lines that run at the same time", async () => {
  using here = scene();
  // Each call begins, waits, and counts the calls that run.
  const count = (at: number) =>
    bashCall(
      // time: other calls that run at the same time begin while this one waits
      `touch ${here.path}/run-${at}; sleep 0.4; ls ${here.path} | grep -c run-; rm ${here.path}/run-${at}`,
    );
  const most = async (jobs: number, calls: number) => {
    const lines = Array.from({ length: calls }, (_, at) => count(at));
    const { results } = await submit(lines, { flags: ["-A", `--jobs=${jobs}`] });
    expect(results).toHaveLength(calls);
    return Math.max(...results.map((result) => Number(text(result))));
  };
  expect(await most(1, 3)).toBe(1);
  expect(await most(3, 6)).toBeLessThanOrEqual(3);
  // Three that wait for each other can only end when they run at the same time.
  const meet = (at: number) =>
    bashCall(
      `touch ${here.path}/meet-${at}; until [ -e ${here.path}/meet-0 -a -e ${here.path}/meet-1 -a ` +
        `-e ${here.path}/meet-2 ]; do sleep 0.02; done`,
    );
  const { code } = await submit([0, 1, 2].map(meet), { flags: ["-A", "--jobs=3"] });
  expect(code).toBe(0);
});

Deno.test("submit > the result in another --format is under the key result on each line", async () => {
  using here = scene();
  const input = { file_path: `${here.path}/a.txt` };
  const lines = [
    { type: "tool_use", id: "toolu_1", name: "Read", input },
    { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "Read", arguments: input } },
    { id: "plain", name: "Read", arguments: {} },
  ];
  const output = "     1\talpha\n";
  const forms = async (format: string) =>
    (await submit(lines, { flags: ["-A", "--ordered", `--format=${format}`] })).results;
  const rpc = {
    id: 5,
    result: {
      jsonrpc: "2.0",
      id: 5,
      result: { content: [{ type: "text", text: output }], isError: false },
    },
  };
  expect((await forms("same")).slice(0, 2)).toEqual([
    {
      id: "toolu_1",
      result: {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: [{ type: "text", text: output }],
        is_error: false,
      },
    },
    rpc,
  ]);
  const openai = await forms("openai");
  expect(openai.slice(0, 2)).toEqual([
    { id: "toolu_1", result: { role: "tool", tool_call_id: "toolu_1", content: output } },
    rpc,
  ]);
  expect(openai[2]).toMatchObject({ id: "plain", result: { role: "tool", tool_call_id: "" } });
});

Deno.test("submit > a usage error prints one line on stderr, and gives exit code 2", async () => {
  const lines: [args: string[], says: string][] = [
    [["--jobs=0"], "whole number from 1 to 1,000"],
    [["--jobs=1001"], "whole number from 1 to 1,000"],
    [["--jobs=two"], '"two"'],
    [["--jobs"], "--jobs needs a value"],
    [["--jobs=1", "--jobs=2"], "--jobs is given twice"],
    [["--format=text"], "available: mcp, same, openai, responses"],
    [["--http=127.0.0.1:0"], 'cannot be combined with "submit"'],
    [["calls.ndjson"], '"calls.ndjson"'],
  ];
  for (const [args, says] of lines) {
    const run = await toolcall(["submit", ...args]);
    expect({ args, code: run.code, stdout: run.stdout }).toEqual({ args, code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
    expect(run.stderr.split("\n")).toHaveLength(2);
  }
  // Flags of submit are not for a single call.
  expect((await toolcall(["call", "--jobs=2"])).code).toBe(2);
});

Deno.test("submit > an unreadable stdin and a missing configuration are reported on stderr", async () => {
  using here = scene();
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", '"$0" submit -A < "$1"', executable, here.path],
  }).output();
  expect(new TextDecoder().decode(stderr)).toContain("toolcall: Cannot read stdin: ");
  expect([code, stdout.length]).toEqual([8, 0]);
  const missing = await toolcall(["submit", `--config=${here.path}/none.json`], { stdin: "{}\n" });
  expect(missing).toMatchObject({ code: 8, stdout: "" });
  expect(missing.stderr).toContain("none.json");
});

Deno.test("submit > a program starts in the sandbox when submit runs from its sources too", async () => {
  using here = scene();
  const main = fileURLToPath(new URL("../../../../main.ts", import.meta.url));
  const program = { command: Deno.execPath(), args: ["run", "-A", main] };
  const flags = [`--allow-read=${here.path}`, "--allow-run=bash"];
  const lines = [bashCall("echo one"), bashCall("echo $(<a.txt)")];
  const { code, results } = await submit(lines, { flags, program, cwd: here.path });
  expect({ code, texts: results.map(text).sort() }).toEqual({
    code: 0,
    texts: ["alpha\n", "one\n"],
  });
});

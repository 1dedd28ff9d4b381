/** The audit log that the built executable writes. */
import { expect } from "@std/expect";
import { call, executable, type Result, toolcall } from "../../../support/executable.ts";
import { initialize, listen, Peer } from "../../../support/mcp/peer.ts";
import { calls, modelServer, says } from "../../../support/model_server.ts";
import { processesWith, uniqueSeconds } from "../../../support/processes.ts";
import { until } from "../../../support/wait.ts";
import { brief, type Line, world } from "./audit_world.ts";

Deno.test("audit > every call has one line, whatever its outcome, and other commands have none", async () => {
  using it = world();
  const { directory, flags } = it;
  const read = `--allow-read=${directory}`;
  const file_path = `${directory}/file.txt`;
  const args = JSON.stringify({ file_path });
  const rows: [args: string[], stdin: string, line: ReturnType<typeof brief>][] = [
    [[read], `{"name":"Read","arguments":${args}}`, ["Read", null, null, null]],
    [["-A", "fs_read", '{"path":"file.txt"}'], "", ["fs.read", "fs_read", null, null]],
    [["Read"], '{"file_path":"/etc/passwd"}', ["Read", null, "permission_denied", "flags"]],
    [["-A", "Read"], '{"path":1}', ["Read", null, "invalid_arguments", null]],
    [["-A", "Nope"], "{}", [null, "Nope", "tool_not_found", null]],
    [["-A"], "no JSON", [null, null, "malformed_call", null]],
    [["-A", "Bash"], "no JSON", [null, "Bash", "malformed_call", null]],
    [[], '{"jsonrpc":"2.0","id":1,"method":"nope"}', [null, null, "malformed_call", null]],
    [["-A", "Read"], `{"file_path":"${directory}/none.txt"}`, ["Read", null, "tool_failed", null]],
    [["-A", "Bash"], '{"command":"sleep 600","timeout":100}', ["Bash", null, "timeout", null]],
    [["-R", "--allow-run", "Bash"], `{"command":"cat '${it.log}'"}`, [
      ...["Bash", null, "tool_failed", "kernel"],
    ]],
  ];
  const exits: number[] = [];
  const start = Date.now();
  for (const [args, stdin] of rows) {
    exits.push((await toolcall([...flags, ...args], { stdin, cwd: directory })).code);
  }
  expect(it.lines().map(brief)).toEqual(rows.map(([, , line]) => line));
  expect(it.lines().map(({ exit }) => exit)).toEqual(exits);
  for (const args of [["check", ...flags, "-A", "Read", '{"file_path":"x"}'], ["list"]]) {
    await toolcall(args, { cwd: directory });
  }
  const listing = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  expect((await toolcall(flags, { stdin: listing })).code).toBe(0);
  expect(it.lines().length).toBe(rows.length);
  const [first] = it.lines() as [Line];
  expect(first).toMatchObject({
    arguments: { file_path, limit: 2000 },
    needs: [{ name: "read", path: file_path, granted: true }],
    sandbox: { flags: "granted", runtime: "entered", kernel: "entered" },
    session: "test",
    cwd: directory,
  });
  expect(new Date(first.time).toISOString()).toBe(first.time);
  expect(Date.parse(first.time)).toBeGreaterThanOrEqual(start);
  expect(Date.parse(first.time)).toBeLessThanOrEqual(Date.now());
  expect(first.durationMs).toBeGreaterThanOrEqual(0);
  expect(it.lines()[1]!.sandbox).toEqual({ flags: "granted", runtime: "open", kernel: "open" });
  expect(it.lines()[2]!).toMatchObject({
    needs: [{ path: "/etc/passwd", granted: false, flag: "--allow-read=/etc/passwd" }],
    sandbox: { flags: "refused", runtime: null, kernel: null },
  });
  expect(Deno.statSync(it.log).mode! & 0o777).toBe(0o600);
});

Deno.test("audit > each call of a message has its line, from the process that got the message", async () => {
  using it = world();
  const call = (name: string, args: string) => ({
    id: name,
    type: "function",
    function: { name, arguments: args },
  });
  const tool_calls = [
    call("fs_read", '{"path":"file.txt"}'),
    call("Bash", '{"command":"echo a"}'),
    call("Bash", "no JSON"),
    call("Nope", "{}"),
  ];
  const stdin = JSON.stringify({ role: "assistant", content: null, tool_calls });
  const flags = [...it.flags, "-A"];
  expect((await toolcall(flags, { stdin, cwd: it.directory })).code).not.toBe(0);
  const lines = it.lines();
  const sorted = lines.map(brief).map((line) => JSON.stringify(line)).sort();
  expect(sorted).toEqual([
    '["Bash",null,null,null]',
    '["fs.read","fs_read",null,null]',
    '[null,"Nope","tool_not_found",null]',
    '[null,null,"malformed_call",null]',
  ]);
  expect(new Set(lines.map(({ pid }) => pid)).size).toBe(1);
  // A process with many calls runs each of them in a Worker.
  expect(lines.find(({ tool }) => tool === "fs.read")).toMatchObject({
    arguments: { path: "file.txt" },
    needs: [{ name: "read", granted: true }],
    sandbox: { runtime: "entered" },
  });
});

Deno.test("audit > a call that a signal ends has its line, as has a call that waits behind it", async () => {
  using it = world();
  const mark = uniqueSeconds();
  const bash = { name: "Bash", input: { command: `sleep ${mark}` }, type: "tool_use" };
  const content = [{ ...bash, id: "a" }, { ...bash, id: "b" }];
  const inputs = [
    JSON.stringify({ role: "assistant", content }),
    JSON.stringify({ ...bash, id: "x" }),
  ];
  for (const [at, input] of inputs.entries()) {
    const child = new Deno.Command(executable, {
      args: [...it.flags, "-A"],
      ...{ stdin: "piped", stdout: "null", stderr: "null" },
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
    expect(await until(() => processesWith(mark).length > 0)).toBe(true);
    child.kill("SIGTERM");
    expect((await child.status).code).toBe(7);
    const codes = it.lines().map(({ tool, code }) => `${tool} ${code}`);
    const second = "null cancelled";
    expect(codes).toEqual(["Bash cancelled", second, "Bash cancelled"].slice(0, at + 2));
  }
});

const callOf = (id: number, params: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params,
});

Deno.test("audit > an MCP server logs each call once over stdio and HTTP, also a call in another process", async () => {
  using it = world();
  const flags = [...it.flags, `--allow-read=${it.directory}`, "--allow-run"];
  const wanted: [params: Record<string, unknown>, line: ReturnType<typeof brief>][] = [
    [{ name: "Read", arguments: { file_path: `${it.directory}/file.txt` } }, [
      "Read",
      null,
      null,
      null,
    ]],
    [{ name: "Bash", arguments: { command: "echo a" } }, ["Bash", null, null, null]],
    [{ name: "Bash", arguments: { command: "exit 3" } }, ["Bash", null, "tool_failed", null]],
    [{ name: "Nope" }, [null, "Nope", "tool_not_found", null]],
    [{ name: "Read", arguments: { file_path: "/" } }, ["Read", null, "permission_denied", "flags"]],
    [{ name: "Read", arguments: {} }, ["Read", null, "invalid_arguments", null]],
    [{ name: "Read", arguments: 5 }, [null, "Read", "malformed_call", null]],
    [{ name: 5 }, [null, null, "malformed_call", null]],
  ];
  {
    await using peer = Peer.start(flags, { cwd: it.directory });
    await peer.initialize();
    await peer.request("tools/list");
    for (const [params] of wanted) await peer.request("tools/call", params);
  }
  expect(it.lines().map(brief)).toEqual(wanted.map(([, line]) => line));
  expect(it.lines()[1]!.sandbox).toEqual({
    flags: "granted",
    runtime: "entered",
    kernel: "entered",
  });
  await using server = await listen(flags, { cwd: it.directory });
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (body: unknown) => {
    const response = await fetch(server.url, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    await response.text();
    return response;
  };
  headers["mcp-session-id"] = (await post(initialize)).headers.get("mcp-session-id")!;
  headers["mcp-protocol-version"] = "2025-11-25";
  for (const [at, [params]] of wanted.entries()) await post(callOf(at, params));
  expect(it.lines().slice(wanted.length).map(brief)).toEqual(wanted.map(([, line]) => line));
});

Deno.test("audit > a call that its client cancels, or that ends with its server, has its line", async () => {
  using it = world();
  const marks = [uniqueSeconds(), uniqueSeconds()];
  const peer = Peer.start([...it.flags, "-A"], { cwd: it.directory });
  await peer.initialize();
  for (const [id, mark] of marks.entries()) {
    const params = { name: "Bash", arguments: { command: `sleep ${mark}` } };
    await peer.write(`${JSON.stringify(callOf(70 + id, params))}\n`);
  }
  expect(await until(() => marks.every((mark) => processesWith(mark).length > 0))).toBe(true);
  await peer.notify("notifications/cancelled", { requestId: 70 });
  expect(await until(() => it.lines().length === 1)).toBe(true);
  peer.process.kill("SIGTERM");
  await peer[Symbol.asyncDispose]();
  const line = ["Bash", null, "cancelled", null];
  expect(it.lines().map(brief)).toEqual([line, line]);
});

Deno.test("audit > no program writes a log that is in one of the client's roots", async () => {
  using it = world();
  const log = `${it.directory}/log`;
  const peer = Peer.start([`--audit=${log}`, it.state, "-A"], { cwd: it.directory });
  await peer.initialize({ capabilities: { roots: {} } });
  const call = peer.call("Bash", { command: "echo torn >> log; cat log; echo end" });
  expect(await until(() => peer.unasked.some(({ method }) => method === "roots/list"))).toBe(true);
  const { id } = peer.unasked.find(({ method }) => method === "roots/list")!;
  const result = { roots: [{ uri: `file://${it.directory}` }] };
  await peer.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  const { text } = (await call).result.content[0];
  expect(text).toContain("end");
  expect(text).toContain("Permission denied");
  await peer[Symbol.asyncDispose]();
  const [line, ...rest] = Deno.readTextFileSync(log).trimEnd().split("\n");
  expect(rest).toEqual([]);
  expect(JSON.parse(line!).sandbox).toEqual({
    flags: "granted",
    runtime: "entered",
    kernel: "entered",
  });
});

Deno.test("audit > the line of an agent comes after the lines of its calls, also in the background", async () => {
  using it = world();
  const turns = [
    calls(["fs_read", { path: "file.txt" }], ["Read", { file_path: "/etc/hostname" }]),
    says("done"),
  ];
  await using server = modelServer(...turns, ...turns);
  const flags = [...it.flags, `--allow-read=${it.directory}`, `--allow-net=${server.host}`];
  for (const [name, value] of [["endpoint", server.endpoint], ["default", "llama"]]) {
    await call("Config", { setting: `model.${name}`, value }, { flags: ["-A", it.state] });
  }
  const task = { description: "A test", prompt: "Go", subagent_type: "general-purpose" };
  const { isError, text } = await call("Agent", task, { flags, cwd: it.directory });
  expect({ isError, text }).toMatchObject({ isError: false });
  const inner = ["fs.read null", "Read permission_denied"];
  const outcomes = () => it.lines().map(({ tool, code }) => `${tool} ${code}`);
  // Calls that only read run at the same time.
  expect([...outcomes().slice(0, 2).sort(), ...outcomes().slice(2)])
    .toEqual([...inner.toSorted(), "Agent null"]);
  const sessions = it.lines().map(({ session }) => session);
  expect(sessions[0]).toMatch(/^agent_/);
  expect(sessions).toEqual([sessions[0], sessions[0], "test"]);
  await call("Agent", { ...task, run_in_background: true }, { flags, cwd: it.directory });
  expect(await until(() => outcomes().length === 6)).toBe(true);
  const { task: id } = it.lines().find((line) => line.task !== undefined)!;
  const report = await call("TaskOutput", { task_id: id }, {
    flags: ["-A", it.state, "--session=test"],
  });
  expect(report.text).toContain("done");
  expect(outcomes().slice(3).sort()).toEqual([...inner, "Agent null"].sort());
});

Deno.test("audit > a background call has one line, for its start, with the task's id", async () => {
  using it = world();
  const args = { command: "echo out; exit 3", run_in_background: true };
  const started = await call("Bash", args, { flags: [...it.flags, "-A"], cwd: it.directory });
  const { id } = started._meta!["toolcall/task"];
  const flags = ["-A", it.state, "--session=test"];
  expect((await call("TaskOutput", { task_id: id }, { flags })).text).toContain("out");
  expect(it.lines().map(({ tool, code, task }) => [tool, code, task])).toEqual([[
    "Bash",
    null,
    id,
  ]]);
  const failed = await call("Bash", args, { flags: [...it.flags, "-A", "--state-dir=/proc/none"] });
  expect(failed.isError).toBe(true);
  expect(it.lines().map(({ exit }) => exit)).toEqual([0, failed.exit]);
});

Deno.test("audit > a call that a wrong configuration refuses has its line too", async () => {
  using it = world();
  const { directory, flags } = it;
  const wrong = { tools: { disabled: ["Nope"] }, permissions: { default: { raed: true } } };
  Deno.writeTextFileSync(`${directory}/toolcall.json`, JSON.stringify(wrong));
  const message = [
    { type: "tool_use", id: "a", name: "Read", input: { file_path: "/a" } },
    { type: "tool_use", id: "b", name: "Bash", input: { command: "true", apiKey: "abc" } },
  ];
  const inputs = [JSON.stringify(message), "no JSON"];
  for (const args of [["-A"], ["-P"]]) {
    for (const stdin of inputs) {
      expect((await toolcall([...flags, ...args], { stdin, cwd: directory })).code).toBe(8);
    }
  }
  const rows = ["Read", "Bash", null].map((name) => [null, name, "unavailable", null]);
  expect(it.lines().map(brief)).toEqual([...rows, ...rows]);
  expect(it.lines()[1]!.arguments).toEqual({ command: "true", apiKey: "[masked]" });
});

Deno.test("audit > a call is refused before it runs when its log cannot be used", async () => {
  using it = world();
  const at = (name: string) => `${it.directory}/${name}`;
  Deno.symlinkSync(at("file.txt"), at("link"));
  const args = { file_path: at("made"), content: "x" };
  for (
    const [log, why] of [[at("link"), "it is a symbolic link"], ["/dev/full", "not a regular file"]]
  ) {
    const { exit, text } = await call("Write", args, { flags: [`--audit=${log}`, "-A"] });
    expect(exit).toBe(8);
    expect(text).toContain(why!);
  }
  const { directory } = it;
  for (
    const [flags, why] of [
      [[`--audit=${at("none/log")}`, "-A"], "no such file or directory"],
      [
        [`--audit=${at("log")}`, "--allow-run=bash", `--allow-write=${directory}`],
        "keep it elsewhere",
      ],
    ] as const
  ) {
    const run = await toolcall([...flags, "Write", JSON.stringify(args)]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(why);
  }
  expect([...Deno.readDirSync(directory)].map(({ name }) => name).sort()).toEqual([
    "file.txt",
    "link",
  ]);
  expect(Deno.readTextFileSync(at("file.txt"))).toBe("what is inside\n");
});

Deno.test("audit > no call and no sandboxed program reads or writes the log", async () => {
  using it = world();
  const log = `${it.directory}/log`;
  Deno.writeTextFileSync(log, "what a line says\n");
  Deno.linkSync(log, `${it.directory}/same`);
  const flags = [`--audit=${log}`, it.state];
  const both = [`--allow-read=${it.directory}`, `--allow-write=${it.directory}`];
  for (const granted of [both, [...both, `--allow-write=${log}`], ["-A"]]) {
    for (const name of ["Read", "Write"]) {
      const { text, exit } = await call(name, {
        file_path: log,
        ...(name === "Write" && { content: "" }),
      }, {
        flags: [...flags, ...granted],
      });
      expect({ text, exit }).toEqual({
        text:
          `Permission denied: ${name === "Read" ? "reading" : "writing"} "${log}" is denied by ` +
          `--audit=${log}`,
        exit: 6,
      });
    }
  }
  const search = { pattern: "what", path: it.directory, output_mode: "content" };
  const found = await call("Grep", search, { flags: [...flags, "-R"] });
  expect(found.text).toContain("what is inside");
  expect(found.text).not.toContain("what a line says");
  const command =
    `cd ${it.directory}; cat log same; echo x >> log; mv log gone; rm -f log; readlink /proc/*/fd/*`;
  const sandboxed = await call("Bash", { command }, {
    flags: [...flags, "-R", "-W", "--allow-run"],
  });
  expect(sandboxed.text).not.toContain("what a line says");
  expect(Deno.readTextFileSync(log).split("\n")[0]).toBe("what a line says");
  const open = await call("Bash", { command: "ls -l /proc/self/fd" }, { flags: [...flags, "-A"] });
  expect(open.isError).toBe(false);
  expect(open.text).not.toContain(log);
});

Deno.test("audit > a line that cannot be written does not change the result, and stderr reports it", async () => {
  using it = world();
  Deno.writeTextFileSync(it.log, `${"x".repeat(2 ** 20 - 10)}\n`);
  const child = await new Deno.Command("bash", {
    args: [
      "-c",
      'ulimit -f 1024; exec "$@"',
      "bash",
      executable,
      ...it.flags,
      "-A",
      "Read",
      `{"file_path":"${it.directory}/file.txt"}`,
    ],
    cwd: it.directory,
  }).output();
  const [stdout, stderr] = [child.stdout, child.stderr].map((each) =>
    new TextDecoder().decode(each)
  );
  expect(child.code).toBe(0);
  expect((JSON.parse(stdout!) as Result).content[0]!.text).toContain("what is inside");
  expect(stderr).toMatch(
    /^toolcall: Cannot write the record of a call to the log "[^"]+": File too large\n$/,
  );
  await call("Nope", {}, { flags: it.flags });
  const last = Deno.readTextFileSync(it.log).trimEnd().split("\n").at(-1)!;
  expect(JSON.parse(last).asked).toBe("Nope");
  const limited = [...it.flags, "-R", "--allow-run", "--limit=file-size=1K"];
  const { exit, text } = await call("Bash", { command: "echo a" }, { flags: limited });
  expect(exit).toBe(8);
  expect(text).toContain("--limit=file-size");
});

Deno.test("audit > J9 no line contains secrets or control characters", async () => {
  using it = world();
  const env = { MODEL_KEY: "a value of the environment", HOME: it.directory };
  const hostile = "\n\u001b[2J\u007f\u009b\u2028\u202e";
  const secrets = [
    "hunter2hunter2",
    "abcdefgh.ijklmnop",
    "ghp_0123456789abcdefABCD",
    env.MODEL_KEY,
  ];
  const command =
    `curl -H 'Authorization: Bearer ${secrets[1]}' https://u:${secrets[0]}@h ${hostile} # ` +
    `${secrets[2]} ${env.MODEL_KEY}`;
  const name = `${hostile}${env.MODEL_KEY}`;
  const flags = [...it.flags, `--session=${hostile}${env.MODEL_KEY}`];
  for (
    const [tool, args] of [
      ["Bash", { command }],
      ["Read", { file_path: `/${hostile}${secrets[2]}` }],
      [name, { password: secrets[0], [`${hostile}`]: "\\ud800", [secrets[2]!]: 1 }],
    ] as const
  ) await call(tool, args, { flags, env });
  await toolcall(flags, { stdin: '{"name":"N","arguments":{"a":"\\ud800\\u2029"}}', env });
  await toolcall([...flags, "Read", JSON.stringify({ file_path: "/a" })], {
    env,
    cwd: it.directory,
  });
  const text = Deno.readTextFileSync(it.log);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  const lines = it.lines();
  expect(lines.length).toBe(5);
  expect(lines[0]!.arguments!["command"]).toBe(
    `curl -H 'Authorization: [masked]' https://[masked]@h ${hostile} # [masked] [masked]`,
  );
  expect(lines[1]!.needs![0]!["path"]).toBe(`/${hostile}[masked]`);
  expect(lines[2]).toMatchObject({
    asked: `${hostile}[masked]`,
    arguments: { password: "[masked]", "[masked]": 1 },
    session: `${hostile}[masked]`,
  });
  expect(lines[3]!.code).toBe("tool_not_found");
});

/** Servers that misbehave: their time and memory are limited, and the error is reported. */
// tier: machine
import { expect } from "@std/expect";
import { executable } from "../../support/executable.ts";
import { isAlive } from "../../support/processes.ts";
import { readIfThere, until } from "../../support/wait.ts";
import {
  type AttackWay,
  attackWays,
  nasty,
  TOKEN,
  ways,
  world,
} from "../../support/mcp/client_world.ts";
import { pids } from "./kept_world.ts";

/** Each way to misbehave before a call, with the exit code and the message. */
const faults: [mode: string, limits: Record<string, number>, exit: number, says: RegExp][] = [
  [
    "exit",
    {},
    8,
    /closed the connection \(exit code 3\); its last output:\nCannot start: the key \*\*\* is wrong\\u0007$/,
  ],
  ["hang-initialize", { startTimeout: 1_000 }, 8, /did not respond within 1000 ms/],
  [
    "hang-list",
    { startTimeout: 8_000 },
    8,
    /Cannot list its tools: .* did not respond within \d+ ms/,
  ],
  ["flood-stdout", {}, 8, /it sent a message of more than 16 MiB/],
  ["flood-stderr", {}, 0, /^hello$/],
  ["noise", {}, 0, /^hello$/],
  ["ends-at-probe", {}, 0, /^hello$/],
  ["ignores-probe", {}, 0, /^hello$/],
];
for (
  const [way, [mode, limits, exit, says]] of ways.flatMap((way) =>
    faults.map((each) => [way, each] as const)
  )
) {
  Deno.test(`mcp client > a server (${way}) that misbehaves before the call gives the right result: ${mode}`, async () => {
    using place = world(() => ({ it: { ...nasty(mode), ...limits } }), { way });
    const result = await place.call("mcp__it__echo", { text: "hello" });
    expect({ exit: result.exit, text: result.text }).toEqual({ exit, text: result.text });
    expect(result.text).toMatch(says);
    expect(JSON.stringify(result) + place.kept()).not.toContain(TOKEN);
    // The text is harmless on a terminal.
    expect(result.text).not.toContain("\u001b");
  });
}

/** The result of a call of each tool of the server. */
const calls: [tool: string, limits: Record<string, number>, exit: number, says: RegExp][] = [
  [
    "crash",
    {},
    8,
    /closed the connection \(exit code 9\); its last output:\nOut of luck with \*\*\*\\u0007$/,
  ],
  ["wait", { timeout: 700 }, 7, /Cannot finish "mcp__it__wait" within 700 ms/],
  ["flood", { timeout: 700 }, 7, /Cannot finish "mcp__it__flood"/],
  ["asks-on", {}, 8, /closed the connection: it does not read its input/],
  ["huge", {}, 8, /it sent a message of more than 16 MiB/],
  ["fail", {}, 1, /^It failed with \*\*\*$/],
  [
    "refuse",
    {},
    5,
    /Cannot call "refuse": the MCP server "it" answers with error -32602: Bad \*\*\*$/,
  ],
  ["reject", {}, 1, /answers with error -32000: No disk\\u001b\[2J$/],
  ["progress", {}, 0, /^done$/],
  // An answer that cannot be read ends the call, not its time limit.
  ["nan", {}, 1, /no JSON-RPC message: ".*\{\\"v\\":NaN\}.*" \(Unexpected token/],
  ["pretty", {}, 1, /: "\{ \\"jsonrpc\\": .*over several lines.*" \(a message must be one line\)$/],
  ["listed", {}, 1, /no JSON-RPC message: ".*\[1\]\}" \(the result must be an object, or/],
  ["coded", {}, 1, /no JSON-RPC message: ".*" \(the result must be an object, or/],
  ["cut", {}, 1, /no JSON-RPC message: ".*\\"result\\":\{\\"a" \(/],
];
for (const way of attackWays) {
  Deno.test(`mcp client > a server (${way}) that misbehaves during a call gives the right result`, async (t) => {
    using place = world((directory) => ({ it: nasty("plain", directory) }), { way });
    for (const [tool, limits, exit, says] of calls) {
      await t.step(tool, async () => {
        place.write({ it: { ...nasty("plain", place.path), ...limits } });
        const result = await place.call(`mcp__it__${tool}`);
        expect({ exit: result.exit, text: result.text }).toEqual({ exit, text: result.text });
        expect(result.text).toMatch(says);
        expect(JSON.stringify(result) + place.kept()).not.toContain(TOKEN);
        if (tool !== "fail") return;
        expect(result.content[1]).toEqual({
          type: "image",
          data: "iVBORw0KGgo=",
          mimeType: "image/png",
        });
      });
    }
    // The server gets a notification when a call passes its time limit.
    const cancelled = () => readIfThere(`${place.path}/cancelled`);
    expect(await until(() => cancelled().includes("requestId"))).toBe(true);
  });
}

Deno.test("mcp client > --verbose says that a server has not answered its first request", async () => {
  for (const way of ["alone", "kept"] as const) {
    using place = world(() => ({ it: nasty("ignores-probe") }), { way });
    const run = (...flags: string[]) =>
      place.run([
        "--allow-mcp",
        `--state-dir=${place.path}/new${flags.length}`,
        ...flags,
        "mcp__it__echo",
        '{"text":"a"}',
      ]);
    const verbose = await run("--verbose");
    expect(verbose.code).toBe(0);
    expect(verbose.stderr).toContain(
      'toolcall: Waiting for the MCP server "it" to answer "server/discover" or "initialize", at most ',
    );
    expect(await run()).toMatchObject({ code: 0, stderr: "" });
  }
});

Deno.test("mcp client > progress begins the time limit of a call again", async () => {
  // The tool takes longer than the limit, and reports progress 25 times.
  using place = world(() => ({ it: { ...nasty("plain"), timeout: 2_000 } }));
  const { exit, text } = await place.call("mcp__it__steady");
  expect([exit, text]).toEqual([0, "steadily done"]);
});

for (const way of ways) {
  Deno.test(`mcp client > a timeout quotes the last line of the server (${way}) that could not be read`, async () => {
    using place = world(() => ({ it: { ...nasty("plain"), timeout: 700 } }), { way });
    const { exit, text } = await place.call("mcp__it__lost");
    expect(exit).toBe(7);
    expect(text).toMatch(
      /within 700 ms; the last message of the server that could not be read: ".*Infinity\}\}"$/,
    );
    // A line of an earlier call is not quoted.
    const later = await place.call("mcp__it__wait");
    expect(later.exit).toBe(7);
    expect(later.text).not.toContain("Infinity");
  });
}

Deno.test("mcp client > data that breaks the output schema is kept and reported", async () => {
  using place = world(() => ({ it: nasty("plain") }));
  const data = await place.call("mcp__it__data");
  expect(data.structuredContent).toEqual({ n: 0.5 });
  expect(data.content.map(({ text }) => text)).toEqual([
    "half",
    "[structuredContent breaks the tool's outputSchema: /n must be integer]",
  ]);
  const bare = await place.call("mcp__it__bare");
  expect(bare.content[1]!.text).toContain("the server sent none");
});

Deno.test("mcp client > N9 a long or endless list of tools is truncated, and this is reported", async (t) => {
  const cases: [mode: string, count: number, says: string][] = [
    [
      "many",
      1_000,
      'toolcall: MCP server "it": only the first 1000 tools are used: 1000 are the most',
    ],
    ["endless", 100, "only the first 100 tools are used: it has more than 100 pages"],
    ["circle", 2, "its pages form a loop"],
  ];
  for (const [mode, count, says] of cases) {
    await t.step(mode, async () => {
      using place = world(() => ({ it: nasty(mode) }), { way: "kept" });
      const { code, stdout, stderr } = await place.run(["list", "--format=json", "--allow-mcp"]);
      const tools = JSON.parse(stdout) as { name: string }[];
      const names = tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
      expect([code, names.length]).toEqual([0, count]);
      expect(stderr).toContain(says);
    });
  }
});

for (const way of attackWays) {
  Deno.test(`mcp client > N9 invalid tools (${way}) are omitted from the list, and are reported`, () =>
    expectOddTools(way));
}

async function expectOddTools(way: AttackWay): Promise<void> {
  using place = world(() => ({ it: nasty("odd") }), { way });
  const { stdout, stderr } = await place.run(["list", "--format=json", "--allow-mcp"]);
  const tools = JSON.parse(stdout) as { name: string; title: string; description: string }[];
  const own = tools.filter(({ name }) => name.startsWith("mcp__"));
  expect(own.map(({ name }) => name.slice("mcp__it__".length)).sort()).toEqual([
    ...["Read", "a.b", "a_b", "ahead", "broken", "foreign", "hidden", "latest", "oldest"],
    ...["remote", "seven", "slow", "twice", "with.dot", "x".repeat(80)],
  ]);
  expect(own.find(({ name }) => name === "mcp__it__twice")?.description).toBe("The first");
  const hidden = own.find(({ name }) => name === "mcp__it__hidden")!;
  expect(hidden.title).toBe("Tag\\u{e0041}ged");
  expect(hidden.description).toBe("Harmless\\u{e0049}\\u{e0067}\\u200b\\u202e\\u001b[31m text");
  // deno-lint-ignore no-control-regex -- The pattern looks for these characters.
  expect(stdout + stderr).not.toMatch(/[\u{e0000}-\u{e007f}\u200b\u202e\u2066\u001b]/u);
  for (
    const message of [
      '"twice" is listed more than once',
      '"with blank" is omitted',
      '"quiet" has no description and is not listed; a call of "mcp__it__quiet" works',
      '"large" is omitted: its schema is longer than 1 MiB',
      '"schemaless" is omitted',
      "it has no name",
    ]
  ) expect(stderr).toContain(message);
  // The built-in tool `Read` and the server's tool `Read` have different names.
  expect((await place.call("Read", { file_path: `${place.path}/x` }, ["-A"])).exit).toBe(1);
  expect((await place.call("mcp__it__Read")).text).toBe("Read");
}

Deno.test("mcp client > N9 a tool with the name of a built-in tool or another server's tool is reached only by its full name", async (t) => {
  for (const way of ways) {
    await t.step(way, async () => {
      using place = world(() => ({ it: nasty("odd"), other: nasty("odd") }), { way });
      Deno.writeTextFileSync(`${place.path}/file.txt`, "what is inside\n");
      const path = `${place.path}/file.txt`;
      const own = await place.call("Read", { file_path: path }, ["--allow-mcp", "--allow-read"]);
      expect(own.text).toContain("what is inside");
      // The arguments for the built-in tool are invalid here, so the server does not get them.
      for (const server of ["it", "other"]) {
        const foreign = await place.call(`mcp__${server}__Read`, { file_path: path });
        expect([server, foreign.exit]).toEqual([server, 5]);
        expect((await place.call(`mcp__${server}__Read`)).text).toBe("Read");
      }
    });
  }
});

Deno.test("mcp client > a tool without a description is not listed, but can be called", async () => {
  using place = world(() => ({ it: nasty("odd") }));
  for (const format of ["text", "json", "mcp", "openai"]) {
    const { stdout } = await place.run(["list", `--format=${format}`, "--allow-mcp"]);
    expect([format, stdout.includes("quiet")]).toEqual([format, false]);
  }
  expect((await place.call("mcp__it__quiet")).text).toBe("quiet");
});

Deno.test("mcp client > a tool can be called by a name that models' APIs accept and by its full name", async (t) => {
  using place = world(() => ({ it: nasty("odd"), ["s".repeat(48)]: nasty("odd") }));
  const { stdout } = await place.run(["list", "--format=mcp", "--allow-mcp"]);
  const names = (JSON.parse(stdout).tools as { name: string }[]).map(({ name }) => name);
  expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  for (const server of ["it", "s".repeat(48)]) {
    for (const tool of ["with.dot", "x".repeat(80), "a.b", "a_b"]) {
      await t.step(`${server} ${tool}`, async () => {
        const { stdout } = await place.run(
          ["describe", `mcp__${server}__${tool}`, "--format=mcp", "--allow-mcp"],
        );
        const { name } = JSON.parse(stdout);
        expect(names).toContain(name);
        // Both names work without a cached list.
        for (const called of [name, `mcp__${server}__${tool}`]) {
          Deno.removeSync(`${place.path}/state/cache`, { recursive: true });
          expect((await place.call(called)).text).toBe(tool);
        }
      });
    }
  }
});

Deno.test("mcp client > arguments are checked by the draft of JSON Schema that the schema names", async (t) => {
  using place = world(() => ({ it: nasty("odd") }));
  const long = `${"a".repeat(50_000)}!`;
  const cases: [tool: string, args: Record<string, unknown>, exit: number, says: string][] = [
    ["seven", { pair: [1, "x"] }, 0, "seven"],
    ["seven", { pair: ["1", 2] }, 5, '- /pair/0: must be integer, got "1"'],
    ["seven", {}, 5, "- /pair: required (array)"],
    ["latest", { pair: [0.5] }, 5, "- /pair/0: must be integer"],
    ["latest", { a: 1 }, 5, "must have property b when property a is present"],
    ["slow", { text: long }, 5, "/text: must match pattern"],
    ["slow", { text: "aaa" }, 0, "aaa"],
    // The server checks a pattern that cannot be matched in linear time.
    ["ahead", { text: `${"a".repeat(40)}!` }, 0, "aaa"],
    // Parts of a schema that are wrong or unknown are not checked, and the result says so.
    ["foreign", {}, 0, 'its draft "https://example.com/own-schema" is unknown'],
    ["broken", { a: 1 }, 0, "/properties/a/type is wrong: it must be equal to one of"],
    ["oldest", {}, 0, "oldest"],
  ];
  for (const [tool, args, exit, says] of cases) {
    await t.step(`${tool} ${JSON.stringify(args).slice(0, 40)}`, async () => {
      const result = await place.call(`mcp__it__${tool}`, args);
      expect({ exit: result.exit, text: result.text }).toEqual({ exit, text: result.text });
      expect(texts(result)).toContain(says);
    });
  }
});

/** The texts of a result, of which a note is the last. */
function texts({ content }: { content: readonly object[] }): string {
  return content.map((block) => "text" in block ? block.text : "").join("\n");
}

for (const way of attackWays) {
  Deno.test(`mcp client > N8 a schema at another address (${way}) is not fetched`, () =>
    expectNoFetch(way));
}

async function expectNoFetch(way: AttackWay): Promise<void> {
  let requests = 0;
  await using remote = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    requests++;
    return Response.json({ type: "string" });
  });
  const address = `http://127.0.0.1:${remote.addr.port}`;
  using place = world(() => ({ it: nasty("odd", ".", address) }), { way });
  const result = await place.call("mcp__it__remote", { a: 1 });
  expect(result.exit).toBe(0);
  expect(texts(result)).toContain(
    `the reference "${address}/a.json" names no schema of this document`,
  );
  expect(requests).toBe(0);
}

Deno.test("mcp client > a server that ignores signals and the end of its input is ended with its call and with toolcall", async (t) => {
  await t.step("the call ends", async () => {
    using place = world((directory) => ({ it: nasty("stubborn", directory) }));
    expect((await place.call("mcp__it__echo", { text: "hello" })).text).toBe("hello");
    expect(await until(() => !pids(place).some(isAlive))).toBe(true);
  });
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await t.step(`toolcall gets ${signal}`, async () => {
      using place = world((directory) => ({ it: nasty("stubborn", directory) }));
      const child = new Deno.Command(executable, {
        args: ["mcp__it__wait", "{}", "--allow-mcp", `--state-dir=${place.path}/state`],
        ...{ cwd: place.path, env: { TOKEN }, stdin: "null", stdout: "piped", stderr: "null" },
      }).spawn();
      const isThere = (name: string) => {
        try {
          return Deno.statSync(`${place.path}/${name}`).isFile;
        } catch {
          return false;
        }
      };
      expect(await until(() => isThere("starts") && isThere("pids"))).toBe(true);
      child.kill(signal);
      const { code, stdout } = await child.output();
      if (signal === "SIGTERM") {
        expect(code).toBe(7);
        expect(new TextDecoder().decode(stdout)).toContain('"code":"cancelled"');
      }
      expect(await until(() => !pids(place).some(isAlive))).toBe(true);
    });
  }
});

/** Flags, the configuration and bundles select the tools that can be listed and called. */
import { expect } from "@std/expect";
import {
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";
import { nasty, world } from "../../../../support/mcp/client_world.ts";

/**
 * Tools that need a capability which is not configured here. A bundle omits them unless it requires
 * them.
 */
const unready = [
  ...["Agent", "ListMcpResources", "ReadMcpResource", "ReadMcpResourceDir", "WebSearch"],
  "blog_notion",
];

/** A directory with a file, a configuration of the root directory, and one of the user's own. */
function place(root?: unknown, own?: unknown) {
  const directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/project`);
  Deno.mkdirSync(`${path}/home/toolcall`, { recursive: true });
  Deno.writeTextFileSync(`${path}/project/a.txt`, "Hello");
  const write = (file: string, value: unknown) =>
    value !== undefined && Deno.writeTextFileSync(`${path}/${file}`, JSON.stringify(value));
  write("project/toolcall.json", root);
  write("home/toolcall/toolcall.json", own);
  const options = { cwd: `${path}/project`, env: { XDG_CONFIG_HOME: `${path}/home` } };
  const run = (...args: string[]) => toolcall(args, options);
  return {
    path,
    run,
    async listed(...flags: string[]): Promise<string[]> {
      const { stdout } = await run("list", "--format=json", ...flags);
      return JSON.parse(stdout).map(({ name }: { name: string }) => name);
    },
    /** Calls Read, and returns the text of the result, also of a failure. */
    async read(...flags: string[]): Promise<string> {
      const { content: [block] } = oneLine(
        await run(...flags, "Read", JSON.stringify({ file_path: `${path}/project/a.txt` })),
      ) as Result;
      return block!.text;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("selection > --tools and --no-tools remove tools from lists and calls", async () => {
  using here = place();
  expect(await here.listed("--tools=Read,fs.*", "--tools=Grep")).toEqual(
    ["Grep", "Read", "fs.list", "fs.read", "fs.write"],
  );
  expect(await here.listed("--tools=*", "--no-tools=B*")).not.toContain("Bash");
  const without = await here.listed("--no-tools=FileRead,mcp__*");
  expect(without).not.toContain("Read");
  expect(without).toContain("Grep");
  expect(await here.read("-A", "--tools=Read")).toContain("Hello");
  const refused = await here.run("-A", "--no-tools=Read", "FileRead", '{"file_path":"/a"}');
  expect(refused.code).toBe(4);
  const { content, _meta } = oneLine(refused) as Result;
  expect(content[0]!.text).toBe('The tool "Read" is disabled: --no-tools names it');
  expect(_meta!["toolcall/error"]).toMatchObject({ code: "tool_not_found", disabled: true });
});

Deno.test("selection > a disabled tool is never suggested for an unknown name", async () => {
  using here = place();
  const { stdout } = await here.run("-A", "--tools=Glob", "Raed", "{}");
  expect(stdout).not.toContain("Read");
  expect(stdout).toContain("Unknown tool");
});

Deno.test("selection > an unknown name or key is reported, in flags and in the configuration", async () => {
  for (
    const [flags, root, code, text] of [
      [["--tools=Raed"], undefined, 2, 'unknown tool "Raed"; did you mean "Read"?'],
      [["--no-tools=Bsh*"], undefined, 2, 'unknown tool "Bsh*"; did you mean "Bash"?'],
      [["--tools=,Read"], undefined, 2, 'unknown tool ""'],
      [["--bundle=read-only"], undefined, 2, 'Unknown bundle "read-only"; did you mean'],
      [
        ["--bundle=nothing"],
        undefined,
        2,
        "available: code_agent, blog_agent, read_only, all, compat",
      ],
      [[], { tools: { disabled: ["Bahs"] } }, 8, '/tools/disabled/0: unknown tool "Bahs"'],
      [["--bundle=x"], { bundles: { x: { optional: ["Raed"] } } }, 8, "/bundles/x/optional/0: unk"],
      [["--bundle=x"], { bundles: { x: { required: ["R*"] } } }, 8, '"R*" must name one tool'],
      [
        [],
        { policy: { Raed: { maxRetries: 1 } } },
        8,
        '/policy/Raed: unknown tool "Raed"; did you mean',
      ],
      [
        [],
        { policy: { Read: { timeoutMs: "9" } } },
        8,
        "/policy/Read/timeoutMs: must be a whole number",
      ],
      [[], { tool: {} }, 8, 'did you mean "tools"?'],
      [[], { tools: { enabeld: [] } }, 8, 'did you mean "enabled"?'],
      [[], { tools: { enabled: "Read" } }, 8, "/tools/enabled: must be a list of strings"],
    ] as const
  ) {
    using here = place(root);
    const run = await here.run(
      ...flags,
      "-A",
      "Read",
      `{"file_path":"${here.path}/project/a.txt"}`,
    );
    const { content } = run.code === 2
      ? { content: [{ text: run.stderr }] }
      : oneLine(run) as Result;
    expect(content[0]!.text).toContain(text);
    expect(run.code).toBe(code);
    const list = await here.run("list", ...flags);
    expect([list.code, list.stdout]).toEqual([code, ""]);
    expect(list.stderr).toContain(text);
  }
});

Deno.test("selection > the keys of other programs are ignored", async () => {
  using here = place({ projects: {}, inputs: [], servers: 1 });
  expect(await here.read("-A")).toContain("Hello");
});

Deno.test("selection > the limits of both files apply", async () => {
  using here = place({ tools: { enabled: ["*"] } }, { tools: { disabled: ["Read", "B*"] } });
  expect(await here.read("-A")).toContain('home/toolcall/toolcall.json" names it');
  using other = place({ tools: { enabled: ["Grep"] } }, { tools: {} });
  expect(await other.listed()).toEqual(["Grep"]);
  expect(await other.read("-A")).toContain('"tools.enabled" of');
  expect(await other.read("-A", "--tools=Read")).toContain("is disabled");
});

Deno.test("selection > the file of --config replaces all other files", async () => {
  using here = place({ tools: { disabled: ["Read"] } }, { tools: { disabled: ["Read"] } });
  Deno.writeTextFileSync(`${here.path}/other.json`, "{}");
  expect(await here.read("-A", `--config=${here.path}/other.json`)).toContain("Hello");
  expect(await here.read("-A", `--config=${here.path}/none.json`)).toContain("no such file");
});

Deno.test("selection > the configuration of the root directory counts, because programs cannot write it", async () => {
  const limits = { tools: { disabled: ["WebFetch"] } };
  using here = place(limits);
  const flags = ["--allow-read", "--allow-run=bash", "--allow-write=."];
  expect(await here.read(...flags)).toContain("Hello");
  const call = [
    "Bash",
    JSON.stringify({ command: "echo x > toolcall.json; echo y > b; read b < b; echo $b" }),
  ];
  expect((await here.run(...flags, ...call)).stdout).toMatch(/toolcall\.json: .*y\\n/);
  expect((await here.run(...flags, "WebFetch", "{}")).code).toBe(4);
});

Deno.test("selection > another configuration that programs of a call may write is refused until it is trusted", async () => {
  const limits = { tools: { disabled: ["WebFetch"] } };
  using here = place();
  const path = `${here.path}/project/other.json`;
  Deno.writeTextFileSync(path, JSON.stringify(limits));
  const flags = ["--allow-read", "--allow-run=bash", "--allow-write=."];
  const config = `--config=${path}`;
  expect(await here.read(config, ...flags)).toContain(
    "programs that a call starts may write to it",
  );
  expect((await here.run("config", "trust", path)).code).toBe(0);
  expect(await here.read(config, ...flags)).toContain("Hello");
  // A file without limits of the tools does not hide the user's own file.
  using other = place({ mcpServers: {} }, limits);
  expect(await other.read(...flags)).toContain("Hello");
  expect(await other.listed()).not.toContain("WebFetch");
});

Deno.test("selection > a bundle contains only its tools", async () => {
  using here = place({ bundles: { mine: { required: ["Read"], optional: ["fs.*"] } } });
  expect(await here.listed("--bundle=mine")).toEqual(["Read", "fs.list", "fs.read", "fs.write"]);
  expect(await here.listed("--bundle=mine", "--no-tools=fs.write")).toEqual(
    ["Read", "fs.list", "fs.read"],
  );
  const all = await here.listed();
  expect(await here.listed("--bundle=all")).toEqual(all.filter((name) => !unready.includes(name)));
  expect(await here.read("-A", "--bundle=mine")).toContain("Hello");
  const refused = await here.run("-A", "--bundle=mine", "Bash", '{"command":"id"}');
  expect(refused.code).toBe(4);
  expect(refused.stdout).toContain('the bundle \\"mine\\" does not hold it');
});

Deno.test("selection > the bundle read_only has every listed tool that changes nothing", async () => {
  using here = place();
  const { stdout } = await here.run("list", "--format=json");
  const reading = (JSON.parse(stdout) as { name: string; sideEffect: string }[])
    .filter(({ sideEffect }) => ["none", "read_only"].includes(sideEffect))
    .map(({ name }) => name);
  expect(reading).toContain("Read");
  expect(reading).not.toContain("WebFetch");
  expect(await here.listed("--bundle=read_only")).toEqual(
    reading.filter((name) => !unready.includes(name)),
  );
});

Deno.test("selection > the user's own bundle takes precedence over the root directory's bundle", async () => {
  using here = place(
    { bundles: { mine: { optional: ["*"] }, read_only: { optional: ["*"] } } },
    { bundles: { mine: { optional: ["Glob"] } } },
  );
  expect(await here.listed("--bundle=mine")).toEqual(["Glob"]);
  expect(await here.listed("--bundle=read_only")).not.toContain("Bash");
});

Deno.test("selection > the flags apply to the tools of MCP servers", async () => {
  using here = world(() => ({ it: nasty("plain") }));
  const echo = (...flags: string[]) =>
    here.call("mcp__it__echo", { text: "hi" }, ["--allow-mcp", ...flags]);
  expect((await echo()).isError).toBe(false);
  expect((await echo("--tools=mcp__it__*")).isError).toBe(false);
  expect((await echo("--no-tools=mcp__*")).text).toContain("--no-tools names it");
  expect((await echo("--bundle=read_only")).text).toContain("is disabled");
  const { stdout } = await here.run(["list", "--allow-mcp", "--tools=mcp__it__e*,Read"]);
  expect(stdout.trim().split("\n").slice(1).map((line) => line.split(" ")[0])).toEqual(
    ["Read", "mcp__it__echo"],
  );
});

Deno.test("selection > a wrong file is reported in the dialect of the call", async () => {
  using here = place({ tools: 1 });
  const options = { cwd: `${here.path}/project`, env: { XDG_CONFIG_HOME: `${here.path}/home` } };
  const request = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "Read" } };
  const run = await toolcall(["-A"], { ...options, stdin: JSON.stringify(request) });
  expect(run.code).toBe(8);
  expect(oneLine(run)).toMatchObject({ jsonrpc: "2.0", id: 7, result: { isError: true } });
  const openai = { id: "c1", type: "function", function: { name: "Read", arguments: "{}" } };
  const chat = await toolcall(["-A", "--format=same"], {
    ...options,
    stdin: JSON.stringify(openai),
  });
  expect(oneLine(chat)).toMatchObject({ role: "tool", tool_call_id: "c1" });
});

Deno.test("selection > an unusable required tool is an error that says how to get it", async () => {
  using here = place({ bundles: { mine: { required: ["Grep", "web_search"] } } });
  const { stdout } = await here.run("-A", "--bundle=mine", "Grep", '{"pattern":"a"}');
  const { content: [block], _meta } = JSON.parse(stdout) as Result;
  expect(block!.text).toContain(
    'which requires tools that are missing here:\n- "web_search": it n',
  );
  expect(block!.text).toMatch(
    /; to get it:\n {2}toolcall -A Config .*\n {2}toolcall -A Config .*$/,
  );
  expect(_meta!["toolcall/error"]).toMatchObject({ code: "unavailable", missing: ["web_search"] });
  const env = { PATH: `${here.path}/none`, XDG_CONFIG_HOME: here.path };
  for (const command of [["list"], ["mcp"], ["grammar"]]) {
    const run = await toolcall([...command, "--bundle=code_agent"], { cwd: here.path, env });
    expect([run.code, run.stdout]).toEqual([8, ""]);
    expect(run.stderr).toContain('- "git": it needs git: not in PATH; install git');
  }
  const off = await here.run("list", "--bundle=code_agent", "--no-tools=git");
  expect(off.stderr).toContain('The tool "git" is disabled: --no-tools names it');
  const odd = await here.run("list", "--bundle=code_agent", "--format=json");
  expect(odd.code).toBe(0);
  expect(odd.stdout).not.toContain("WebSearch");
});

Deno.test("selection > a bundle omits an unusable optional tool, and a list and a call of the tool say why", async () => {
  using here = place();
  const run = await here.run("-A", "--bundle=code_agent", "web_search", '{"query":"a"}');
  expect(run.code).toBe(4);
  expect(run.stdout).toContain(
    'the bundle \\"code_agent\\" does not offer it: it needs search provider',
  );
  for (const args of [["list", "--format=openai"], ["list"], ["grammar"]]) {
    const { code, stderr } = await here.run(...args, "--bundle=code_agent");
    expect([code, stderr]).toEqual([
      0,
      'toolcall: The bundle "code_agent" omits tools that cannot be used: "web_search" (it needs ' +
      'search provider); see "toolcall doctor"\n',
    ]);
  }
  expect((await here.run("list", "--tools=Read", "--bundle=read_only")).stderr).not.toContain(
    "WebS",
  );
});

Deno.test("selection > the definitions of a bundle are listed for every API", async () => {
  using here = place();
  for (const format of ["mcp", "openai", "responses", "anthropic", "gemini"]) {
    const { stdout } = await here.run("list", "--bundle=code_agent", `--format=${format}`);
    const names = [...stdout.matchAll(/"name":"(\w+)","(?:title|description)"/g)].map(([, name]) =>
      name
    );
    expect(names).toEqual(["Bash", "code_edit", "file", "git", "navigate", "search", "test"]);
  }
});

Deno.test("selection > a policy applies to a tool by any of its names, and the user's own takes precedence", async () => {
  using here = place(
    { policy: { bash: { timeoutMs: 300 }, "R*": { maxRetries: 1, timeoutMs: 7 } } },
    { policy: { Read: { timeoutMs: 5_000 } } },
  );
  const checked = async (tool: string, args: string) =>
    JSON.parse((await here.run("check", "-A", tool, args)).stdout).policy;
  expect(await checked("Bash", '{"command":"true"}')).toMatchObject({ timeoutMs: 300 });
  expect(await checked("Read", '{"file_path":"/a"}')).toMatchObject(
    { timeoutMs: 5_000, maxRetries: 1 },
  );
  const run = await here.run("-A", "Bash", '{"command":"sleep 600"}');
  expect(run.code).toBe(7);
  expect(run.stdout).toContain("300 ms");
});

Deno.test("selection > an unreadable directory is an error, and hides no configuration", async (t) => {
  using here = place(undefined, { tools: { disabled: ["Read"] } });
  const { path } = here;
  Deno.mkdirSync(`${path}/tmp`);
  Deno.copyFileSync(executable, `${path}/toolcall`);
  Deno.chmodSync(`${path}/toolcall`, 0o755);
  // Root can read every directory, so another user runs the executable.
  const isRoot = Deno.uid() === 0;
  const user = isRoot ? ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"] : [];
  if (isRoot) {
    const { code } = await new Deno.Command("chown", { args: ["-R", "54321:54321", path] })
      .output();
    expect(code).toBe(0);
  }
  const rows: [closed: string, args: string[]][] = [
    ["home", []],
    ["home/toolcall", []],
    ["home/toolcall", ["--root=."]],
    ["project", ["--root=../project"]],
  ];
  for (const [closed, args] of rows) {
    await t.step(`${closed} ${args.join(" ")}`, async () => {
      Deno.chmodSync(`${path}/${closed}`, 0);
      const [program, ...rest] = [
        ...user,
        ...[`${path}/toolcall`, ...args, "-A", "Read", JSON.stringify({ file_path: "/dev/null" })],
      ];
      const { code, stdout, stderr } = await new Deno.Command(program!, {
        args: rest,
        cwd: closed === "project" ? `${path}/home` : `${path}/project`,
        env: {
          ...{ XDG_CONFIG_HOME: `${path}/home`, XDG_STATE_HOME: `${path}/tmp` },
          ...{ TOOLCALL_CACHE_DIR: `${path}/tmp/cache`, TMPDIR: `${path}/tmp` },
        },
      }).output();
      Deno.chmodSync(`${path}/${closed}`, 0o755);
      const [output, errors] = [stdout, stderr].map((each) => new TextDecoder().decode(each));
      expect({ code, errors }).toEqual({ code: 8, errors: "" });
      expect(output).toMatch(
        /Cannot use the (configuration|tools directory) .*: Permission denied/,
      );
    });
  }
});

/** Tools of a tools directory, as callers use them. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { call, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { SHOUT, withTools } from "./shouting_tool.ts";

const LOUD = `export enum Mark { None = "", Exclamation = "!" }
export const loud = (text: string, mark: Mark): string => text.toUpperCase() + mark;
`;

const COUNT = `import { simpleTool, type Permission } from "toolcall";
const needs = ({ path }: Record<string, unknown>): Permission[] => [{ name: "read", path: String(path) }];
export default simpleTool(
  "count_lines",
  "Counts the lines of a file.",
  ({ path }, ctx) => Deno.readTextFileSync(ctx.path(String(path))).split("\\n").length - 1,
  { permissions: { kinds: ["read"], needs } },
);
`;

const WRITE = `import { simpleTool } from "toolcall";
export default simpleTool("put", "Writes a file.", ({ path, beside }, ctx) => {
  if (beside !== undefined) Deno.writeTextFileSync(String(beside), "x");
  Deno.writeTextFileSync(ctx.path(String(path)), "put");
  return "done";
}, { permissions: { kinds: ["write"], needs: ({ path }) => [{ name: "write", path: String(path) }] } });
`;

const FETCH = `import { simpleTool } from "toolcall";
const host = ({ url }: Record<string, unknown>) => new URL(String(url)).host;
export default simpleTool(
  "get",
  "Gets a page.",
  async ({ url }, ctx) => await (await ctx.fetch(String(url))).text(),
  { permissions: { kinds: ["net"], needs: (args) => [{ name: "net", host: host(args) }] } },
);
`;

const ALL = { "shout.ts": SHOUT, "lib/loud.ts": LOUD, "count.ts": COUNT, "put.ts": WRITE };

Deno.test("tools directory > a tool runs, its arguments are validated, and it needs its permissions", async () => {
  using here = withTools({ ...ALL, "get.ts": FETCH });
  expect(await here.run("Shout", { text: "hi" })).toMatchObject({ text: "HI!", exit: 0 });
  const long = await here.run("Shout", { text: "0123456789", tags: ["a", "a"], more: 1 });
  expect(long).toMatchObject({ exit: 5 });
  for (const path of ["/text", "/tags", "/more"]) expect(long.text).toContain(path);
  expect(await here.run("count_lines", { path: "notes.txt" })).toMatchObject({ exit: 6 });
  const read = await here.run("count_lines", { path: "notes.txt" }, "--allow-read=.");
  expect(read).toMatchObject({ text: "2", exit: 0 });
  const server = Deno.serve({ port: 0, onListen() {} }, () => new Response("page"));
  const host = `127.0.0.1:${server.addr.port}`;
  expect(await here.run("get", { url: `http://${host}/` })).toMatchObject({ exit: 6 });
  const got = await here.run("get", { url: `http://${host}/` }, `--allow-net=${host}`);
  expect(got).toMatchObject({ text: "page", exit: 0 });
  await server.shutdown();
});

Deno.test("tools directory > a tool writes only the files that its call names", async () => {
  using here = withTools(ALL);
  for (const flag of ["--allow-write=.", "--allow-write", "--allow-all"]) {
    expect(await here.run("put", { path: "out.txt" }, flag)).toMatchObject({ exit: 0 });
    const beside = await here.run("put", { path: "out.txt", beside: "other.txt" }, flag);
    expect({ flag, exit: beside.exit }).toEqual({ flag, exit: 6 });
  }
  Deno.mkdirSync(`${here.work}/.git/hooks`, { recursive: true });
  const hook = await here.run("put", { path: ".git/hooks/x" }, "--allow-write=.");
  expect(hook).toMatchObject({ exit: 6 });
  expect(await here.run("put", { path: "." }, "--allow-write=.")).toMatchObject({ exit: 1 });
  expect([...Deno.readDirSync(here.work)].map(({ name }) => name).sort())
    .toEqual([".git", "notes.txt", "out.txt"]);
});

Deno.test("tools directory > the tools are in lists, checks, servers and batches", async () => {
  using here = withTools(ALL);
  const list = await here.command("list");
  expect(list.stderr).toBe("");
  for (const name of ["Shout", "count_lines", "put"]) expect(list.stdout).toContain(`\n${name} `);
  const { stdout: described } = await here.command("describe", "Shout", "--format=json");
  expect(JSON.parse(described)).toMatchObject({
    name: "Shout",
    file: `${here.tools}/shout.ts`,
    examples: [{ flags: [] }],
  });
  const shown = await here.command("check", "count_lines", '{"path":"notes.txt"}', "-R");
  expect(JSON.parse(shown.stdout)).toMatchObject({
    needs: [{ path: `${here.work}/notes.txt` }],
    plan: "worker",
  });
  const grammar = await here.command("grammar", "Shout");
  expect(grammar.stdout).toContain("Shout");
  const { stdout: batch } = await toolcall(["submit", `--tools-dir=${here.tools}`, "-R=."], {
    cwd: here.work,
    stdin: ['{"id":"1","name":"Shout","arguments":{"text":"a"}}', COUNT_CALL].join("\n"),
  });
  expect(batch).toContain("A!");
  expect(batch).toContain('"text":"2"');
  const messages = [
    { id: 0, method: "initialize", params: INITIALIZE },
    { method: "notifications/initialized" },
    { id: 1, method: "tools/call", params: { name: "Shout", arguments: { text: "mcp" } } },
  ];
  const { stdout: served } = await toolcall(["mcp", `--tools-dir=${here.tools}`], {
    cwd: here.work,
    stdin: messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""),
  });
  expect(served).toContain("MCP!");
});

const COUNT_CALL = '{"id":"2","name":"count_lines","arguments":{"path":"notes.txt"}}';
const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

/** A file whose tool has one more field, before its examples. */
function wrongField(name: string, field: string, why: string): [string, string, string, string] {
  const text = SHOUT.replace('"Shout"', JSON.stringify(name))
    .replace(/^ {2}examples:/m, `  ${field},\n  examples:`)
    .replace(/^ {2}timeoutMs: 20_000,\n/m, "");
  const line = text.split("\n").findIndex((each) => each.includes(field)) + 1;
  return [name, text, `:${line}`, why];
}

/** Files with an error, and the position and the text that the message must have. */
const FAULTS: readonly [file: string, text: string, position: string, why: string][] = [
  [
    "syntax",
    'import { simpleTool } from "toolcall";\n\nexport default simpleTool(;',
    ":3",
    "expected",
  ],
  ["throws", 'const fail = () => {\n  throw new Error("bad luck");\n};\nfail();', ":2", "bad luck"],
  ["none", "export const a = 1;", ":1", "no default export"],
  ["wrong", SHOUT.replace('"Shout"', '"wrong"').replace('"utility"', '"magic"'), ":8", "category"],
  [
    "gone",
    SHOUT.replace('"Shout"', '"gone"').replace(/ {2}run:.*\n/, ""),
    ":4",
    '"run" is missing',
  ],
  [
    "schema",
    SHOUT.replace('"Shout"', '"schema"').replace('type: "array"', 'type: "lots"'),
    ":12",
    "schema",
  ],
  ["npm", 'import "toolcall";\nimport "npm:chalk";', ":2", 'cannot import "npm:chalk"'],
  ["web", 'import "https://example.com/x.ts";', ":1", "cannot import"],
  ["out", 'import "../secret.ts";', ":1", "cannot import"],
  ["lost", 'import "./lib/lost.ts";', ":1", "no such file"],
  ["cycle", 'import "./lib/a.ts";', ":1", "import each other"],
  ["late", "const name = String(Math.PI);\nawait import(name);", ":2", "plain text"],
  ["other", 'import { Registry } from "toolcall";\nconsole.log(Registry);', ":1", "Registry"],
  [
    "starts",
    COUNT.replace('"count_lines"', '"starts"').replace('["read"]', '["run"]'),
    ":7",
    "command tool",
  ],
  [
    "servers",
    COUNT.replace('"count_lines"', '"servers"').replace('["read"]', '["mcp"]'),
    ":7",
    "only built-in tools use MCP servers",
  ],
  [
    "spaces",
    COUNT.replace('"count_lines"', '"two words"'),
    ":3",
    '"name" must begin with a letter',
  ],
  ["number", "export default 5;", ":1", "its default export is no tool"],
  wrongField("misspelt", "timeoutMS: 5", 'unknown field "timeoutMS"; did you mean "timeoutMs"?'),
  wrongField("never", "timeoutMs: 0", "milliseconds above 0"),
  wrongField("served", 'uses: ["store"]', 'only built-in tools can have the field "uses"'),
  wrongField("waits", "background: true", 'needs the property "run_in_background"'),
  wrongField("retries", "maxRetries: -1", '"maxRetries" must be a whole number'),
  wrongField("limited", "rateLimit: { calls: 1 }", '"calls" and "windowMs"'),
  wrongField("named", 'aliases: ["a b"]', '"aliases" must be a list of names'),
  wrongField("outputs", 'outputSchema: "text"', '"outputSchema" must be a JSON Schema'),
];

Deno.test("tools directory > each wrong declaration is reported with its file and line", async () => {
  using here = withTools({
    ...Object.fromEntries(FAULTS.map(([file, text]) => [`${file}.ts`, text])),
    ...{ "lib/a.ts": 'import "./b.ts";', "lib/b.ts": 'import "./a.ts";', "lib/loud.ts": LOUD },
    "lies.ts": COUNT.replace('"count_lines"', '"lies"').replace('kinds: ["read"]', "kinds: []"),
    "count.ts": COUNT,
  });
  const { stdout, stderr, code } = await here.command("list");
  expect(code).toBe(0);
  expect(stdout).toContain("count_lines");
  const lines = stderr.split("\n");
  for (const [file, , position, why] of FAULTS) {
    const at = file === "cycle" ? "lib/b" : file;
    const line = lines.find((each) => each.includes(`${here.tools}/${at}.ts${position}: `));
    expect({ file, line: line ?? stderr, has: line?.includes(why) })
      .toEqual({ file, line, has: true });
  }
  const called = await here.run("wrong", { text: "a" });
  expect(called).toMatchObject({ exit: 8 });
  expect(called.text).toContain(`${here.tools}/wrong.ts:8: the field "category"`);
  expect(await here.run("lies", { path: "notes.txt" }, "-R")).toMatchObject({ exit: 8 });
  expect(await here.run("count_lines", { path: "notes.txt" }, "-R")).toMatchObject({ exit: 0 });
});

Deno.test("tools directory > a tool without a description can be called and is in no list", async () => {
  const hidden = SHOUT.replace('  description: "Says a text in capitals.",\n', "");
  using here = withTools({ "shout.ts": hidden, "lib/loud.ts": LOUD });
  expect(await here.run("Shout", { text: "hi" })).toMatchObject({ text: "HI!", exit: 0 });
  const listed = await here.command("list", "--format=mcp");
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(listed.stdout).not.toContain("Shout");
  expect((await here.command("list", "Shout")).stderr).toContain("has no description");
});

Deno.test("tools directory > a bundle and doctor check the programs that a tool requires", async () => {
  const needy = SHOUT.replace("  inputSchema", '  requires: ["no-such-program"],\n  inputSchema');
  using here = withTools({ "shout.ts": needy, "lib/loud.ts": LOUD });
  const bundles = { some: { optional: ["Shout"] }, only: { required: ["Shout"] } };
  Deno.writeTextFileSync(`${here.work}/toolcall.json`, JSON.stringify({ bundles }));
  const some = await here.command("list", "--bundle=some");
  expect(some.stdout).not.toContain("Shout");
  expect(some.stderr).toContain('"Shout" (it needs no-such-program)');
  const only = await here.command("list", "--bundle=only");
  expect(only).toMatchObject({ code: 8, stdout: "" });
  expect(only.stderr).toContain('- "Shout": it needs no-such-program: not in PATH');
  const doctor = JSON.parse((await here.command("doctor", "--format=json")).stdout);
  const finding = (name: string) =>
    doctor.findings.find((each: { name: string }) => each.name === name);
  expect(finding("no-such-program")).toMatchObject({ ok: false, tools: ["Shout"] });
  expect(finding("only")).toMatchObject({ kind: "bundle", ok: false });
});

Deno.test("tools directory > a name that two tools have is an error that names both tools", async () => {
  using here = withTools({
    "mine.ts": COUNT.replace('"count_lines"', '"Read"'),
    "first.ts": COUNT,
    "second.ts": COUNT,
  });
  const read = await here.run("Read", { path: "notes.txt" }, "-R");
  expect(read.exit).not.toBe(0);
  expect(read.text).toContain(`${here.tools}/mine.ts`);
  expect(read.text).toContain('the built-in tool "Read"');
  const count = await here.run("count_lines", { path: "notes.txt" }, "-R");
  for (const file of ["first", "second"]) expect(count.text).toContain(`${here.tools}/${file}.ts`);
  expect((await here.command("list")).stderr).toContain("mine.ts");
});

Deno.test("tools directory > the second call compiles nothing, and a changed file or import is compiled again", async () => {
  using here = withTools(ALL);
  // Other tests do not change this cache.
  using cache = temporaryDirectory();
  const env = { TOOLCALL_CACHE_DIR: cache.path };
  const run = (name: string, args: Record<string, unknown>) =>
    call(name, args, { flags: [`--tools-dir=${here.tools}`], cwd: here.work, env });
  const compiled = () => keptFiles(`${cache.path}/tools`);
  expect(await run("Shout", { text: "a" })).toMatchObject({ text: "A!" });
  const before = compiled();
  expect(before.size).toBeGreaterThan(0);
  expect(await run("Shout", { text: "b" })).toMatchObject({ text: "B!" });
  expect(compiled()).toEqual(before);
  Deno.writeTextFileSync(`${here.tools}/lib/loud.ts`, LOUD.replace('"!"', '"?"'));
  expect(await run("Shout", { text: "c" })).toMatchObject({ text: "C?" });
  Deno.writeTextFileSync(`${here.tools}/shout.ts`, SHOUT.replaceAll("Shout", "Yell"));
  expect(await run("Yell", { text: "d" })).toMatchObject({ text: "D?" });
  expect(await run("Shout", { text: "d" })).toMatchObject({ exit: 4 });
});

/**
 * The compiled tools in a directory of a cache, each with its time. The index of their names is written
 * again when the tools directory was not changed for two seconds.
 */
function keptFiles(directory: string): Set<string> {
  const tools = [...Deno.readDirSync(directory)].filter(({ name }) =>
    !/^(index|stamp)-/.test(name)
  );
  return new Set(
    tools.map(({ name }) => `${name} ${Deno.lstatSync(`${directory}/${name}`).mtime?.getTime()}`),
  );
}

Deno.test("tools directory > an executable of deno compile runs the tools that the self-extracting one has compiled", async () => {
  using here = withTools({ "count.ts": COUNT });
  // The unpacked program behaves as the one in an executable of deno compile.
  const { stdout } = await toolcall(["check", "navigate", '{"action":"outline","path":"x"}']);
  const directory = JSON.parse(stdout).sandbox.runtime.read.at(-1);
  const compiled = async () => {
    const child = new Deno.Command(`${directory}/deno`, {
      args: [
        ...["run", "--allow-all", "--no-config", "--no-lock", "--no-remote", "--no-npm"],
        ...["--cached-only", "--unstable-worker-options", "--unstable-no-legacy-abort", "--quiet"],
        ...[`${directory}/main.js`, `--tools-dir=${here.tools}`, "-R", "count_lines"],
        '{"path":"notes.txt"}',
      ],
      cwd: here.work,
    });
    const { code, stdout } = await child.output();
    return { code, text: new TextDecoder().decode(stdout) };
  };
  const missing = await compiled();
  expect(missing.code).toBe(8);
  expect(missing.text).toContain("self-extracting");
  await here.command("list");
  expect(await compiled()).toMatchObject({ code: 0 });
});

Deno.test("tools directory > the directory of the user is used without a flag, but not with --config", async () => {
  using here = withTools({ "count.ts": COUNT });
  const config = `${here.work}/../config`;
  Deno.mkdirSync(`${config}/toolcall`, { recursive: true });
  Deno.renameSync(here.tools, `${config}/toolcall/tools`);
  const env = { XDG_CONFIG_HOME: Deno.realPathSync(config) };
  const options = { cwd: here.work, env };
  const own = await call("count_lines", { path: "notes.txt" }, { ...options, flags: ["-R"] });
  expect(own).toMatchObject({ text: "2", exit: 0 });
  Deno.writeTextFileSync(`${here.work}/other.json`, "{}");
  const flags = ["-R", "--config=other.json"];
  const other = await call("count_lines", { path: "notes.txt" }, { ...options, flags });
  expect(other).toMatchObject({ exit: 4 });
});

Deno.test("tools directory > the tools run when the program runs from its sources too", async () => {
  using here = withTools(ALL);
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const program = {
    command: Deno.execPath(),
    args: ["run", "-A", "--no-check", `--config=${root}deno.json`, `${root}main.ts`],
  };
  const { code, stdout } = await toolcall(
    [`--tools-dir=${here.tools}`, "Shout", '{"text":"sources"}'],
    { cwd: here.work, program },
  );
  expect({ code, text: stdout.includes("SOURCES!") }).toEqual({ code: 0, text: true });
});

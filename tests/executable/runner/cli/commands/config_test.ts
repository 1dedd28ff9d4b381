/** `toolcall config check`: the report on the configuration. */
import { expect } from "@std/expect";
import { desk } from "./config_desk.ts";

const OWN = "own/toolcall/toolcall.json";

Deno.test("config check > a valid configuration prints one line for each file", async () => {
  using here = desk({ "toolcall.json": '{"tools": {}, // why\n}', [OWN]: '\ufeff{"policy": {}}' });
  const stdout = `@toolcall.json: ok\n@${OWN}: ok\n`;
  expect(await here.config("check")).toEqual({ code: 0, stdout, stderr: "" });
  // A named file is the only one that is checked.
  for (const args of [[OWN], [`--config=${OWN}`]]) {
    expect((await here.config("check", ...args)).stdout).toBe(`@${OWN}: ok\n`);
  }
  const elsewhere = await here.config("check", "--root=own");
  expect(elsewhere.stdout).toBe(`@${OWN}: ok\n`);
});

Deno.test("config check > a missing configuration is reported with the paths that were searched", async () => {
  using here = desk({});
  const { code, stdout } = await here.config("check");
  expect(code).toBe(0);
  expect(stdout).toContain(`Looked in: "@toolcall.json" and "@${OWN}"`);
  const { stdout: json } = await here.config("check", "--format=json");
  expect(JSON.parse(json)).toEqual({
    ok: true,
    files: [],
    lookedFor: ["@toolcall.json", `@${OWN}`],
  });
});

const rows: [text: string, lines: string[]][] = [
  ["", [": it is empty"]],
  ["[]", [":1:1: it must contain one JSON object"]],
  ['{\n  "tools": {,\n}', [":2:13: value expected", ":3:2: close brace expected"]],
  ['{"tools": {"disabled": ["Bsh"]}}', [
    ':1:25: /tools/disabled/0: unknown tool "Bsh"; did you mean "Bash"?',
  ]],
  ['{"tools": {"enabled": ["Read", "Grap*"]}}', [
    ':1:32: /tools/enabled/1: unknown tool "Grap*"; did you mean "Grep"?',
  ]],
  ['{"tools": {},\r\n "tools": {"disabled": ["mcp__any__*"]}}', [
    ':2:2: /tools: "tools" is defined twice; remove one',
  ]],
  ['{"bundles": {"my": {"required": ["G*", "Read"], "optional": ["Reed"]}}}', [
    ':1:34: /bundles/my/required/0: "G*" must name one tool',
    ':1:62: /bundles/my/optional/0: unknown tool "Reed"; did you mean "Read"?',
  ]],
  ['{"bundles": {"all": {}}}', [
    ":1:14: /bundles/all: is a built-in bundle and takes precedence; choose another name",
  ]],
  ['{"commands": {"Read": {"description": "d", "run": ["cat"]}}}', [
    ':1:15: /commands/Read: the built-in tool "Read" takes precedence; choose another name',
  ]],
  ['{"bundles": {"my": {"required": ["git"]}}, "tools": {"enabled": ["Read"]}}', [
    ':1:34: /bundles/my/required/0: the required tool "git" is disabled: "tools.enabled" of "@toolcall.json" does not name it',
  ]],
  ['{"policy": {"fs.reed": {"timeoutMs": 0}}}', [
    ':1:13: /policy/fs.reed: unknown tool "fs.reed"; did you mean "fs.read"?',
    ":1:38: /policy/fs.reed/timeoutMs: must be a whole number from 1 to 86400000, got 0",
  ]],
  ['{"permissions": {"ci": {"red": 1, "read": 3}}}', [
    ':1:25: /permissions/ci/red: unknown key; did you mean "read"? Known keys: all, read, write, net, run, env, sys, mcp',
    ":1:43: /permissions/ci/read: must be true, false, a list of strings, or an object of allow and deny, got 3",
  ]],
  ['{"permissions": {"ci": {"net": {"deny": ["http://x"]}}}}', [
    ':1:42: /permissions/ci/net/deny/0: Cannot take "http://x" for a host: give only the host of the URL',
  ]],
  ['{"mcpServers": {"a": {"command": "x", "args": ["${NOT_SET_IN_TEST}"]}}}', [
    ":1:22: /mcpServers/a: the environment variable NOT_SET_IN_TEST is not set; set it, or write ${NOT_SET_IN_TEST:-default}",
  ]],
  ['{"mcpServers": {"a": {"url": "ftp://secret"}, "b": {"comand": "secret"}}}', [
    ':1:22: /mcpServers/a: "url" must be an address that starts with http:// or https://',
    ":1:52: /mcpServers/b: must have either command or url",
    ':1:53: /mcpServers/b/comand: unknown key; did you mean "command"? Known keys: type, command, args, env, cwd, url, headers, oauth, timeout, startTimeout, keepAlive, sampling, disabled, description',
  ]],
];

Deno.test("config check > the tools of the tools directory are known", async () => {
  const command = { description: "Prints", run: ["echo"] };
  using here = desk({
    "toolcall.json": JSON.stringify({ commands: { mine: command }, tools: { disabled: ["mine"] } }),
    [OWN]: "{}",
  });
  const tools = `${here.path}/own/toolcall/tools`;
  Deno.mkdirSync(tools, { recursive: true, mode: 0o700 });
  Deno.writeTextFileSync(
    `${tools}/mine.ts`,
    'import { simpleTool } from "toolcall";\n' +
      'export default simpleTool("mine", "Says whose it is.", () => "mine");\n',
  );
  const { code, stdout } = await here.config("check");
  expect(stdout.split("\n")).toEqual([
    `@toolcall.json:1:14: /commands/mine: "@own/toolcall/tools/mine.ts" takes precedence; choose another name`,
    `@${OWN}: ok`,
    "",
  ]);
  expect(code).toBe(1);
});

Deno.test("config check > each problem is reported with its position, the fault and the correction", async (t) => {
  for (const [text, lines] of rows) {
    await t.step(text, async () => {
      using here = desk({ "toolcall.json": text });
      const { code, stdout, stderr } = await here.config("check");
      expect(stdout.trimEnd().split("\n")).toEqual(lines.map((line) => `@toolcall.json${line}`));
      expect([code, stderr]).toEqual([1, ""]);
      const { stdout: json } = await here.config("check", "--format=json");
      const { ok, files } = JSON.parse(json);
      expect([ok, files[0].problems.length]).toEqual([false, lines.length]);
      expect(stdout + json).not.toContain("secret");
    });
  }
});

Deno.test("config check > warnings do not change the exit code", async () => {
  using here = desk({
    "toolcall.json": '{"mcpServers": {}, "inputs": []}',
    [OWN]:
      '{"mcpServers": {}, "permissions": {"x": {"read": ["gone", "."], "run": ["./no", "no"]}}}',
  });
  const { code, stdout } = await here.config("check");
  const known =
    "known keys: $schema, mcpServers, commands, apis, tools, bundles, permissions, prompts, policy";
  expect(stdout.split("\n")).toEqual([
    `@toolcall.json:1:20: warning: /inputs: unknown key; ${known}; it is ignored`,
    "@toolcall.json: ok",
    `@${OWN}:1:2: warning: /mcpServers: these servers are ignored, because those of "@toolcall.json" count`,
    `@${OWN}:1:51: warning: /permissions/x/read/0: "@own/toolcall/gone" does not exist`,
    `@${OWN}:1:73: warning: /permissions/x/run/0: "@own/toolcall/no" does not exist`,
    `@${OWN}: ok`,
    "",
  ]);
  expect(code).toBe(0);
});

Deno.test("config check > invisible characters are escaped", async () => {
  using here = desk({ "toolcall.json": '{"\u202ex": 1, "tools": {"\\u001b[31m": 1}}' });
  const { code, stdout } = await here.config("check");
  expect(code).toBe(1);
  expect(stdout).toContain("/\\u202ex: ");
  expect(stdout).toContain("/tools/\\u001b[31m: ");
  for (const unseen of ["\u001b", "\u202e"]) expect(stdout).not.toContain(unseen);
  // A line break in a name would look like a line about another file.
  using odd = desk({ "toolcall.json": '{"policy": {"x\\nb.json: ok": {}}}' });
  expect((await odd.config("check")).stdout).toMatch(/^\S+: \/policy\/x\\nb\.json: ok: [^\n]+\n$/);
});

Deno.test("config > the error for a wrong command line names the right ones", async (t) => {
  const wrong: [args: string[], says: string][] = [
    [[], "config check"],
    [["chekc"], 'did you mean "check"?'],
    [["delete"], '"config check", "config schema"'],
    [["check", "a", "b"], 'Unexpected argument "b"'],
    [["check", "a", "--config=b"], "given twice"],
    [["check", "--format=yaml"], "text and json"],
    [["schema", "x"], 'Unexpected argument "x"'],
    [["schema", "--format=json"], "--format"],
    [["check", "-A"], 'cannot be combined with "config"'],
  ];
  using here = desk({});
  for (const [args, says] of wrong) {
    await t.step(args.join(" "), async () => {
      const { code, stdout, stderr } = await here.config(...args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(says);
    });
  }
  const missing = await here.config("check", "none.json");
  expect(missing).toEqual({ code: 1, stdout: "@none.json: no such file\n", stderr: "" });
});

/** `Config` reads and sets values of `toolcall.json` by JSON pointers. */
import { expect } from "@std/expect";
import { redactConfig } from "../../../../src/runner/config/redact_config.ts";
import { call } from "../../../support/executable.ts";
import { desk } from "./edit_desk.ts";

const OWN = "own/toolcall/toolcall.json";

Deno.test("config edit > a value is set, read and removed, and the next call uses it", async () => {
  const before =
    `{\r\n\t// mine\r\n\t"policy": {}, // calls\r\n\t"tools": { "disabled": ["Grep"] },\r\n}`;
  using here = desk({ "toolcall.json": `\ufeff${before}` });
  const setting = "/tools/disabled/-";
  const set = await here.config({ setting, value: "Glob" });
  expect(set).toEqual({
    exit: 0,
    text: '/tools/disabled is ["Grep","Glob"] now in "@toolcall.json"; it was ["Grep"]',
  });
  // All other bytes are unchanged.
  const after = before.replace('["Grep"]', '["Grep", "Glob"]');
  expect(here.text()).toBe(`\ufeff${after}`);
  const read = await here.config({ setting: "/tools" }, []);
  expect(read).toEqual({
    exit: 0,
    text: '/tools is {"disabled":["Grep","Glob"]} in "@toolcall.json"',
  });
  const options = { flags: ["-A"], cwd: here.path, env: here.env };
  const refused = await call("Glob", { pattern: "*" }, options);
  expect([refused.exit, refused.text.includes("tools.disabled")]).toEqual([4, true]);
  await here.config({ setting: "/tools/disabled/1", value: "" });
  expect(here.text()).toBe(`\ufeff${before}`);
  expect((await call("Glob", { pattern: "*" }, options)).exit).toBe(0);
  const same = await here.config({ setting: "/tools/disabled", value: ["Grep"] });
  expect(same.text)
    .toBe('/tools/disabled is ["Grep"] in "@toolcall.json"; it was ["Grep"]');
});

Deno.test("config edit > lists, objects, numbers and booleans are stored as given, and a string is not parsed", async () => {
  using here = desk({ "toolcall.json": "{}" });
  const rows: [setting: string, value: unknown][] = [
    ["/tools/disabled", ["Grep"]],
    ["/bundles/mine", { required: ["Read"], optional: ["mcp__*"] }],
    ["/policy/fs.read/timeoutMs", 5000],
    ["/permissions/a~1b/all", true],
    ["/bundles/mine/description", '["x"]'],
  ];
  for (const [setting, value] of rows) {
    const { text } = await here.config({ setting, value });
    expect(text)
      .toBe(`${setting} is ${JSON.stringify(value)} now in "@toolcall.json"; it was not set`);
  }
  expect(JSON.parse(here.text())).toEqual({
    tools: { disabled: ["Grep"] },
    bundles: { mine: { required: ["Read"], optional: ["mcp__*"], description: '["x"]' } },
    policy: { "fs.read": { timeoutMs: 5000 } },
    permissions: { "a/b": { all: true } },
  });
});

Deno.test("config edit > an invalid value is refused with every fault, and nothing is written", async () => {
  const text = '{"tools": {"disabled": ["Grep"]}, "inputs": [] }';
  using here = desk({ "toolcall.json": text });
  const rows: [setting: string, value: unknown, exit: number, says: string[]][] = [
    ["/tools/disabled", '["Glob"]', 1, ["/tools/disabled: must be a list of strings"]],
    ["/tools", { disabled: ["Bsh", 3] }, 1, ["/tools/disabled/1: must be a non-empty string"]],
    ["/tools/disabled", ["Glob", 3], 5, ["/value"]],
    ["/tools/disabled", ["Grep", "Bsh"], 1, [
      '/tools/disabled/1: unknown tool "Bsh"; did you mean',
    ]],
    ["/tools", { only: [], enabled: 5 }, 1, ["/tools/only: unknown key", "/tools/enabled: must"]],
    ["/policy/Bsh", {}, 1, ['unknown tool "Bsh"']],
    ["/bundles/all", {}, 1, ["is a built-in bundle"]],
    ["/mcpServers/a/env/K", "secret", 1, ["/mcpServers/a: must have either command or url"]],
    ["/tools/disabled/7", "Glob", 1, ['"tools"."disabled" is a list of 1 items']],
    ["/tools/disabled/x", "Glob", 1, ['"tools"."disabled" is not an object']],
    ["/tols", {}, 5, ['did you mean "/tools"?']],
    ["/inputs", "", 5, ["available: /$schema, /mcpServers"]],
    ["/", {}, 5, ["available: "]],
    [`/policy${"/a".repeat(20_000)}`, {}, 5, ["it is nested too deeply for a configuration"]],
    ["/policy/~2", {}, 5, ['neither "~0" nor "~1"']],
    ["/__proto__/x", 1, 5, ["available: "]],
    ["/mcpServers/a", { command: "x", env: { K: "***" } }, 5, ["replaces hidden values"]],
  ];
  for (const [setting, value, exit, says] of rows) {
    const result = await here.config({ setting, value });
    expect({ setting, exit: result.exit }).toEqual({ setting, exit });
    for (const each of says) expect(result.text).toContain(each);
    expect(result.text).not.toContain("secret");
  }
  expect(here.text()).toBe(text);
  expect([...Deno.readDirSync(here.path)].map(({ name }) => name).sort())
    .toEqual(["own", "toolcall.json"]);
});

Deno.test("config edit > an edit needs --allow-all without deny flags, and fails in plan mode", async () => {
  using here = desk({ "toolcall.json": "{}" });
  const edit = { setting: "/tools/disabled", value: ["Glob"] };
  const weaker = [
    [],
    ["--allow-read", "--allow-write", "--allow-run", "--allow-net", "--allow-env", "--allow-mcp"],
    [`--allow-write=${here.path}/toolcall.json`, "--allow-read"],
    ["-A", "--deny-net"],
  ];
  for (const flags of weaker) {
    const { exit, text } = await here.config(edit, flags);
    expect([flags, exit]).toEqual([flags, 6]);
    expect(text).toContain("needs --allow-all without deny flags");
    expect((await here.config({ setting: "/tools" }, flags)).exit).toBe(0);
  }
  await here.config({ setting: "plan_mode", value: true });
  expect(await here.config(edit)).toMatchObject({ exit: 6 });
  expect(here.text()).toBe("{}");
});

Deno.test("config edit > the named file is edited, else the root directory's, else the user's own, else a new one", async (t) => {
  const edit = { setting: "/tools/disabled", value: ["Glob"] };
  const rows: [files: string[], flags: string[], edited: string][] = [
    [["toolcall.json", OWN, "named.json"], ["--config=named.json"], "named.json"],
    [["toolcall.json", OWN], [], "toolcall.json"],
    [[OWN], [], OWN],
    [["own/toolcall.json", OWN], ["--root=own"], "own/toolcall.json"],
  ];
  for (const [files, flags, edited] of rows) {
    await t.step(edited, async () => {
      using here = desk(Object.fromEntries(files.map((file) => [file, "{}"])));
      expect((await here.config(edit, ["-A", ...flags])).text).toContain(`in "@${edited}"`);
      const changed = files.filter((file) => here.text(file) !== "{}");
      expect(changed).toEqual([edited]);
    });
  }
  await t.step("a new file, which names a schema only if the schema exists", async () => {
    const tools = { disabled: ["Glob"] };
    using bare = desk();
    expect((await bare.config({ setting: "/tools", value: "" })).exit).toBe(0);
    expect([...Deno.readDirSync(bare.path)].map(({ name }) => name)).toEqual(["own"]);
    expect((await bare.config({ setting: "/tools" })).text)
      .toBe("/tools is not set; there is no configuration");
    await bare.config(edit);
    expect(JSON.parse(bare.text())).toEqual({ tools });
    using here = desk({ "toolcall.schema.json": "{}" });
    await here.config(edit);
    expect(Object.entries(JSON.parse(here.text())))
      .toEqual([["$schema", "./toolcall.schema.json"], ["tools", tools]]);
  });
  await t.step("a symlink stays a symlink, and the mode is kept", async () => {
    using here = desk({ "real.json": "{}" });
    Deno.chmodSync(`${here.path}/real.json`, 0o640);
    Deno.symlinkSync("real.json", `${here.path}/toolcall.json`);
    expect((await here.config(edit)).exit).toBe(0);
    expect(Deno.lstatSync(`${here.path}/toolcall.json`).isSymlink).toBe(true);
    expect(here.text("real.json")).toContain("Glob");
    expect(Deno.statSync(`${here.path}/real.json`).mode! & 0o777).toBe(0o640);
  });
});

Deno.test("config edit > both files are read and named", async () => {
  using here = desk({ "toolcall.json": '{"policy": {"Grep": {}}}', [OWN]: "{}" });
  const { text } = await here.config({ setting: "/policy" }, []);
  expect(text).toBe(`/policy is {"Grep":{}} in "@toolcall.json"\n/policy is not set in "@${OWN}"`);
  const all = await here.config({ setting: "*" }, []);
  expect(all.text).toContain(`is in "@toolcall.json" and "@${OWN}"`);
});

Deno.test("config edit > a possible secret of a server is masked", async () => {
  const servers = {
    it: {
      command: "c",
      args: ["a"],
      env: { KEY: "secret", REF: "${A}${env:B}", HALF: "${A}secret", OR: "${A:-secret}" },
      token: "secret",
    },
    at: {
      url: "https://secret:se@cret/@h.example/p?k=secret#secret",
      headers: { Authorization: "Bearer secret" },
    },
    odd: "secret",
    odder: { env: ["secret"], headers: { deep: { A: "secret" } }, url: { a: "secret" } },
  };
  const shown = redactConfig({ mcpServers: servers, tools: {} });
  expect(shown).toEqual({
    mcpServers: {
      it: {
        command: "c",
        args: ["a"],
        env: { KEY: "***", REF: "${A}${env:B}", HALF: "***", OR: "***" },
        token: "***",
      },
      at: { url: "https://***@h.example/p?***", headers: { Authorization: "***" } },
      odd: "***",
      odder: { env: "***", headers: { deep: { A: "***" } }, url: { a: "***" } },
    },
    tools: {},
  });
  expect(redactConfig({ mcpServers: ["secret"] })).toEqual({ mcpServers: "***" });
  const rows: [given: unknown, shown: unknown][] = [
    [{ url: "https:\\\\a:secret@h/x" }, { url: "https:\\\\***@h/x" }],
    [{ url: "https:a:secret@h/x" }, { url: "https:***@h/x" }],
    [{ url: "https://a:sec#ret@h/" }, { url: "***" }],
    [{ url: "https://mcp.of-a-long-name.example:8080/api/v1/secretsecretsecret/mcp" }, {
      url: "https://mcp.of-a-long-name.example:8080/api/v1/***/mcp",
    }],
    [{ url: "https://h/${VARIABLE_OF_KEY}/secretsecretsecret#x" }, {
      url: "https://h/${VARIABLE_OF_KEY}/***?***",
    }],
    [{ url: "https://h/p?mail=a@b" }, { url: "https://h/p?***" }],
    [{ args: ["--api-key", "secret", "-y"] }, { args: ["--api-key", "***", "-y"] }],
    [{ args: ["--token=secret", "/a/b"] }, { args: ["--token=***", "/a/b"] }],
    [{ args: ["--api-key", "${KEY}"] }, { args: ["--api-key", "${KEY}"] }],
    [{ args: ["--header", "Authorization: Bearer secret"] }, {
      args: ["--header", "Authorization: ***"],
    }],
    [{ args: ["postgres://a:secret@h/db"] }, { args: ["postgres://***@h/db"] }],
    [{ args: [{ a: "secret" }] }, { args: [{ a: "***" }] }],
  ];
  for (const [given, shown] of rows) {
    expect(redactConfig({ mcpServers: { it: given } })).toEqual({ mcpServers: { it: shown } });
  }
  using here = desk({
    "toolcall.json": JSON.stringify({ mcpServers: { it: { command: "c", env: { K: "secret" } } } }),
  });
  const pointers = ["/mcpServers", "/mcpServers/it", "/mcpServers/it/env", "/mcpServers/it/env/K"];
  for (const setting of pointers) {
    const { text } = await here.config({ setting }, []);
    expect(text).toContain('"***"');
    expect(text).not.toContain("secret");
  }
  const set = await here.config({ setting: "/mcpServers/it/env/K", value: "other-secret" });
  expect(set.text)
    .toBe('/mcpServers/it/env/K is "***" now in "@toolcall.json"; it was "***"');
  expect(here.text()).toContain("other-secret");
});

Deno.test("config edit > concurrent edits of a missing file are all kept", async () => {
  using here = desk();
  const names = Array.from({ length: 8 }, (_, at) => `set-${at}`);
  const runs = await Promise.all(
    names.map((name) => here.config({ setting: `/permissions/${name}`, value: { all: false } })),
  );
  expect(runs.map(({ exit }) => exit)).toEqual(names.map(() => 0));
  expect(Object.keys(JSON.parse(here.text()).permissions).sort()).toEqual(names);
});

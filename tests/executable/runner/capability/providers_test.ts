/** Providers, the state and MCP servers as capabilities, with real settings and configurations. */
import { expect } from "@std/expect";
import { Capabilities } from "../../../../src/runner/capability/capabilities.ts";
import type { CapabilityStatus } from "../../../../src/runner/registry/providers.ts";
import { capabilityNamed } from "../../../../src/runner/capability/table.ts";
import type { SettingValue } from "../../../../src/runner/registry/services.ts";
import { settingNamed } from "../../../../src/runner/state/setting_store.ts";
import { State } from "../../../../src/runner/state/state.ts";
import { entries } from "../../../../tools/_generated/index.ts";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { trustFile } from "../../../support/trust.ts";

const providers = () => import("../../../../src/toolkit/provider/providers.ts");

/** Examines a capability in a new state directory with these settings and this environment. */
async function look(
  name: string,
  { path, settings = {}, environment = {} }: {
    path: string;
    settings?: Record<string, SettingValue>;
    environment?: Record<string, string>;
  },
): Promise<CapabilityStatus> {
  const stateDir = `${path}/${crypto.randomUUID()}`;
  const hasFile = [...Deno.readDirSync(path)].some((each) => each.name === "toolcall.json");
  if (hasFile) trustFile(`${path}/toolcall.json`, stateDir);
  if (Object.keys(settings).length > 0) {
    const state = new State(stateDir, "");
    for (const [each, value] of Object.entries(settings)) {
      state.settings.set(await settingNamed(each), value);
    }
    state.close();
  }
  return await capabilitiesIn(path, { stateDir, environment }).find(name);
}

function capabilitiesIn(
  root: string,
  { stateDir, environment = {} }: { stateDir: string; environment?: Record<string, string> },
): Capabilities {
  const grants = { all: false, allow: {}, deny: {} };
  const setup = { program: { directory: "/", providers }, root, grants, stateDir };
  return new Capabilities({ ...setup, environment: () => environment });
}

const LOCAL = { "model.endpoint": "http://127.0.0.1:1/v1", "model.default": "m" };
const WEB = { ...LOCAL, "model.endpoint": "https://api.example.org/v1" };
const [BRAVE, SEARXNG] = [{ "search.provider": "brave" }, { "search.provider": "searxng" }];

/** A capability, settings and environment; then whether it is usable, its detail and advice. */
const ROWS: readonly [
  name: string,
  settings: Record<string, SettingValue>,
  environment: Record<string, string>,
  ok: boolean,
  says: string,
  advice?: string,
][] = [
  ["model", {}, {}, false, "No model is configured", 'Config \'{"setting":"model.endpoint"'],
  [
    "model",
    { "model.endpoint": LOCAL["model.endpoint"] },
    {},
    false,
    "The settings name no model",
    '"model.default"',
  ],
  ["model", { ...LOCAL, "model.endpoint": "x" }, {}, false, "model.endpoint is not a URL"],
  [
    "model",
    LOCAL,
    {},
    true,
    "m at http://127.0.0.1:1/v1, without a key: OPENAI_API_KEY is not set",
  ],
  ["model", LOCAL, { OPENAI_API_KEY: "k3y" }, true, ", with the key in OPENAI_API_KEY"],
  ["model", WEB, {}, false, "OPENAI_API_KEY is not set", '"VARIABLE"'],
  ["model", WEB, { OPENAI_API_KEY: " " }, false, "is not set", "set OPENAI_API_KEY to the key"],
  [
    "model",
    WEB,
    { OPENAI_API_KEY: "k3y k3y" },
    false,
    "OPENAI_API_KEY contains no key: it contains a",
  ],
  ["model", WEB, { OPENAI_API_KEY: "k3y" }, true, "m at https://api.example.org/v1, with the key"],
  ["model", { ...LOCAL, "model.key_variable": "MINE" }, {}, false, "MINE", "set MINE to the key"],
  ["model", { ...LOCAL, "model.key_variable": "toString" }, {}, false, "toString"],
  ["search provider", {}, {}, false, "no search provider is set", '"value":"searxng"'],
  ["search provider", SEARXNG, {}, false, "search.endpoint is not set", '"search.endpoint"'],
  [
    "search provider",
    { ...SEARXNG, "search.endpoint": "http://127.0.0.1:1" },
    {},
    true,
    "SearXNG at http://127.0.0.1:1, without a key",
  ],
  ["search provider", BRAVE, {}, false, "BRAVE_API_KEY is not set", "BRAVE_API_KEY"],
  ["search provider", BRAVE, { BRAVE_API_KEY: "k3y" }, true, "with the key in BRAVE_API_KEY"],
];

Deno.test("capability > a provider is usable when the settings name it and its variable contains the key", async () => {
  using directory = temporaryDirectory();
  for (const [name, settings, environment, ok, says, advice] of ROWS) {
    const found = await look(name, { path: directory.path, settings, environment });
    const row = { name, settings, environment, found };
    expect({ ...row, ok: found.ok }).toEqual({ ...row, ok });
    expect(found.detail).toContain(says);
    if (!found.ok) expect(found.advice).toContain(advice ?? "toolcall -A Config");
    expect(JSON.stringify(found)).not.toContain("k3y");
  }
});

Deno.test("capability > the commands of the advice configure the missing capability", async () => {
  using directory = temporaryDirectory();
  const environment = { XDG_STATE_HOME: directory.path, PATH: Deno.env.get("PATH")! };
  const stateDir = `${directory.path}/toolcall`;
  for (const name of ["model", "search provider"]) {
    const missing = await capabilitiesIn(directory.path, { stateDir, environment }).find(name);
    if (missing.ok) throw new Error(`There is a ${name} in an empty directory`);
    const commands = missing.advice.split("\n");
    expect(commands.length).toBe(2);
    for (const command of commands) {
      const script = `program=$0; toolcall() { "$program" "$@"; }\n${command}`;
      const { success } = await new Deno.Command("/bin/sh", {
        ...{ args: ["-c", script, executable], env: environment, stdout: "null" },
      }).output();
      expect({ command, success }).toEqual({ command, success: true });
    }
    const found = await capabilitiesIn(directory.path, { stateDir, environment }).find(name);
    expect(found).toMatchObject({ ok: true });
  }
});

Deno.test("capability > an unusable state directory is reported, and a missing one is not created", async () => {
  using directory = temporaryDirectory();
  const stateDir = `${directory.path}/state`;
  const none = capabilitiesIn(directory.path, { stateDir });
  for (const found of [await none.find("state"), await none.examine("state")]) {
    expect(found).toEqual({ ok: true, detail: `${stateDir}, created when a call needs it` });
  }
  expect([...Deno.readDirSync(directory.path)]).toEqual([]);
  Deno.mkdirSync(stateDir);
  Deno.writeTextFileSync(`${stateDir}/state.db`, "not a store".repeat(1000));
  const damaged = capabilitiesIn(directory.path, { stateDir });
  const rows: [found: CapabilityStatus, says: string][] = [
    [await damaged.examine("state"), "is not a database of toolcall"],
    [await damaged.find("model"), "the settings cannot be read"],
    [
      await capabilitiesIn(directory.path, { stateDir: `${stateDir}/state.db` }).find("state"),
      "it is not a directory",
    ],
  ];
  for (const [found, says] of rows) {
    expect(found.ok).toBe(false);
    expect(found.detail).toContain(says);
    expect(!found.ok && found.advice).toBe("choose another directory with --state-dir=DIR");
  }
});

/**
 * The value of `mcpServers` and the capability; then whether it is usable, its detail and advice.
 * $DIR stands for the directory of the configuration.
 */
const SERVERS: readonly [
  servers: unknown,
  name: string,
  ok: boolean,
  says: string,
  advice?: string,
][] = [
  [{}, "MCP server", false, "none is configured", 'add it under "mcpServers" in '],
  [{ a: { command: "/bin/sh" } }, "MCP server", true, "configured: a"],
  [{ a: { command: "no-such" }, b: { url: "https://x.test/" } }, "MCP server", true, ": b"],
  [{ a: { command: "no-such" } }, "MCP server", false, "no such program in PATH", "no-such"],
  [{ a: { command: "no-such" } }, "MCP server a", false, "stdio, no-such: no such program"],
  [{ a: { command: "/bin/sh" } }, "MCP server b", false, "No MCP server", 'add it under "mcp'],
  [{ a: { command: "$DIR/none" } }, "MCP server a", false, '/none"', 'correct "a" under'],
  [
    { a: { command: "/bin/sh", cwd: "no" } },
    "MCP server a",
    false,
    "does not exist",
    'correct "a"',
  ],
  [
    { a: { command: "x", args: ["${NO}"] } },
    "MCP server a",
    false,
    "the environment variable NO is",
  ],
  [
    { a: { comand: "x" } },
    "MCP server a",
    false,
    'it has no key "comand"; did you mean "command"?',
  ],
  [{ a: { url: "https://u:pass@x.test/path?t=1" } }, "MCP server a", true, "sse, https://x.test"],
  ["text", "MCP server", false, "/mcpServers: must be an object", "correct the configuration"],
];

Deno.test("capability > an MCP server is usable when its entry is complete and its program exists", async () => {
  using directory = temporaryDirectory();
  for (const [servers, name, ok, says, advice] of SERVERS) {
    const text = JSON.stringify({ mcpServers: servers }).replaceAll("$DIR", directory.path);
    Deno.writeTextFileSync(`${directory.path}/toolcall.json`, text);
    const found = await look(name, { path: directory.path });
    expect({ name, servers, ok: found.ok, found }).toEqual({ name, servers, ok, found });
    expect(found.detail).toContain(says);
    expect(found.detail.replaceAll(directory.path, "")).not.toMatch(/pass|path/);
    if (!found.ok) expect(found.advice).toContain(advice ?? "");
  }
});

Deno.test("capability > every tool requires known capabilities, by valid names", async () => {
  const required = (await Promise.all(entries.map(async ({ load }) => (await load()).metadata)))
    .flatMap(({ requires }) => requires);
  expect(required).toContain("search provider");
  for (const name of [...required, "rg", "landlock", "python3", "g++", "MCP server x"]) {
    expect([name, capabilityNamed(name) === undefined]).toEqual([name, false]);
  }
  const { checkTool } = await import("../../../../scripts/check_tool.ts");
  const { default: git } = await import("../../../../tools/git.ts");
  expect(checkTool("git", { default: git })).toEqual([]);
  expect(checkTool("git", { default: { ...git, requires: ["git", "Git"] } })).toEqual([
    'it requires "Git", which is no capability: programs are called as in PATH',
  ]);
  using directory = temporaryDirectory();
  for (const name of ["Git", "a model", "", "./git", "/bin/sh", "constructor X", "__proto__"]) {
    expect([name, capabilityNamed(name)]).toEqual([name, undefined]);
    expect(await look(name, { path: directory.path })).toMatchObject({
      ok: false,
      detail: `no capability is called ${JSON.stringify(name)}`,
    });
  }
});

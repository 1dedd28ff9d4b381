import { expect } from "@std/expect";
import { settings } from "../../../src/runner/registry/setting_definitions.ts";
import { call, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { submitCalls } from "./submitted_calls.ts";

function desk() {
  const directory = temporaryDirectory();
  const state = `--state-dir=${directory.path}/state`;
  return {
    config: (args: Record<string, unknown>, flags: string[] = []) =>
      call("Config", args, { flags: [state, ...flags] }),
    /** Runs the calls one after the other in one process. */
    configAll: (all: Record<string, unknown>[], flags: string[] = []) =>
      submitCalls(all.map((args) => ({ name: "Config", arguments: args })), {
        flags: [state, ...flags],
        jobs: 1,
      }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("config > a value is kept across processes until it is unset", async () => {
  using here = desk();
  const setting = "model.sonnet";
  expect((await here.config({ setting })).text).toBe("model.sonnet is not set");
  const set = await here.config({ setting, value: "some-model" });
  expect(set.text).toBe('model.sonnet is "some-model" now; it was not set');
  expect((await here.config({ setting })).text).toBe('model.sonnet is "some-model"');
  const again = await here.config({ setting, value: "some-model" });
  expect(again.text).toBe('model.sonnet is "some-model"; it was "some-model"');
  const away = await here.config({ setting, value: "" });
  expect(away.text).toBe('model.sonnet is not set now; it was "some-model"');
});

Deno.test("config > a value must have the type of its setting, and be one of its values", async () => {
  using here = desk();
  const cases: [setting: string, value: unknown, said: string][] = [
    ["model.sonnet", true, "it is a string"],
    ["model.sonnet", 5, "it is a string"],
    ["plan_mode", "yes", "it is a boolean"],
    ["model.sonnet", ["a"], "its value is a string, a boolean or a number"],
    ["plan_mode", { on: true }, "its value is a string, a boolean or a number"],
    ["search.provider", "altavista", 'one of "searxng", "brave", "tavily"'],
  ];
  for (const [setting, value, said] of cases) {
    const { isError, text } = await here.config({ setting, value }, ["-A"]);
    expect({ setting, value, isError }).toEqual({ setting, value, isError: true });
    expect(text).toContain(said);
  }
});

Deno.test("config > the settings for endpoints and keys need --allow-all", async () => {
  using here = desk();
  const guarded = settings.filter((each) => each.guarded);
  expect(guarded.length).toBeGreaterThan(3);
  const changes = guarded.map(({ name, values }) => ({
    setting: name,
    value: values?.[0] ?? "http://192.0.2.1/v1",
  }));
  const refusals = await here.configAll(changes, ["--allow-net", "--allow-write", "--allow-env"]);
  const values = await here.configAll(guarded.map(({ name }) => ({ setting: name })));
  const changed = await here.configAll(changes, ["-A"]);
  for (const [at, { name }] of guarded.entries()) {
    const refused = refusals[at]!;
    expect({ name, exit: refused.exit }).toEqual({ name, exit: 6 });
    expect(refused.text).toContain("--allow-all");
    expect(values[at]!.text).not.toContain("192.0.2.1");
    expect({ name, exit: changed[at]!.exit }).toEqual({ name, exit: 0 });
  }
});

Deno.test("config > the error for an unknown setting names a similar one, and all settings", async () => {
  using here = desk();
  for (const args of [{ setting: "model.sonet" }, { setting: "model.sonet", value: "x" }]) {
    const { exit, text } = await here.config(args);
    expect(exit).toBe(5);
    expect(text).toContain('did you mean "model.sonnet"?');
    expect(text).toContain("search.provider");
  }
  for (const setting of ["__proto__", "constructor", "", "a\u001b[31m"]) {
    const { exit, text } = await here.config({ setting });
    expect({ setting, exit }).toEqual({ setting, exit: 5 });
    expect(text).not.toContain("\u001b");
  }
});

Deno.test("config > a star lists every setting with its description", async () => {
  using here = desk();
  const { text } = await here.config({ setting: "*" });
  // The last line says where the configuration is.
  expect(text.split("\n").length).toBe(settings.length + 1);
  for (const { name, description } of settings) {
    expect(text).toContain(name);
    expect(text).toContain(description);
  }
});

Deno.test("config > a null value reads the setting, as a missing value does", async () => {
  using here = desk();
  for (const setting of ["plan_mode", "*", "model.sonnet"]) {
    const read = await here.config({ setting, value: null });
    expect(read.text).toBe((await here.config({ setting })).text);
    expect(read._meta).toEqual({
      "toolcall/repaired": [{ path: "/value", rule: "null", from: null }],
    });
  }
  const strict = await here.config({ setting: "plan_mode", value: null }, ["--strict"]);
  expect(strict.exit).toBe(5);
});

Deno.test("config > plan_mode can be set to its current value", async () => {
  using here = desk();
  const setting = "plan_mode";
  const off = await here.config({ setting, value: false });
  expect([off.exit, off.text]).toEqual([0, "plan_mode is false; it was false"]);
  const on = "plan_mode is true";
  expect((await here.config({ setting, value: true })).text).toBe(`${on} now; it was false`);
  const again = await here.config({ setting, value: true });
  expect([again.exit, again.text]).toEqual([0, `${on}; it was true`]);
  expect((await here.config({ setting, value: false })).exit).toBe(6);
});

Deno.test("config > a list as a value is invalid, before permissions are checked", async () => {
  using directory = temporaryDirectory();
  const flags = ["check", `--state-dir=${directory.path}`];
  const call = JSON.stringify({ name: "Config", arguments: { setting: "plan_mode", value: [] } });
  expect((await toolcall(flags, { stdin: call })).code).toBe(5);
});

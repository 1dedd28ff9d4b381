/** Hostile schemas of servers. */
import { expect } from "@std/expect";
import { readServersConfig } from "../../../../../src/runner/mcp/client/servers_config.ts";
import { compileSchema } from "../../../../../src/runner/mcp/client/compile_schema.ts";
import { trustFile } from "../../../../support/trust.ts";

const { entries } = Object;

/** Grants for everything. */
const grants = { all: true, allow: {}, deny: {} };

Deno.test("mcp client > a schema with $async is checked like any other", async () => {
  const schema = { $async: true, type: "object", required: ["a"] };
  const validate = await compileSchema(schema, "the arguments");
  expect([validate({}), validate({ a: 1 })]).toEqual([false, true]);
});

const unique: [items: unknown[], areUnique: boolean][] = [
  [[], true],
  [[1, "1", true, null, [1], { a: 1 }], true],
  [[1, 2, 1], false],
  [[0, -0], false],
  [[{ a: 1, b: [2] }, { b: [2], a: 1 }], false],
  [[{ a: 1 }, { a: 2 }], true],
  [[[1, 2], [2, 1]], true],
];
Deno.test("mcp client > equal items are found, also among 200,000 items", async () => {
  const schema = { properties: { a: { uniqueItems: true }, b: { uniqueItems: false } } };
  const validate = await compileSchema(schema, "the arguments");
  for (const [a, areUnique] of unique) {
    expect([a, validate({ a, b: [1, 1] })]).toEqual([a, areUnique]);
  }
  const many = Array.from({ length: 200_000 }, (_, id) => ({ id }));
  expect(validate({ a: many })).toBe(true);
  expect(validate({ a: [...many, { id: 7 }] })).toBe(false);
  expect(entries(validate.errors?.[0] ?? {})).toContainEqual(["instancePath", "/a"]);
});

Deno.test("mcp client > a schema that refers only to itself is reported", async () => {
  const [a, b] = ["b", "a"].map((other) => ({ allOf: [{ $ref: `#/$defs/${other}` }] }));
  const schema = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a, b } };
  const validate = await compileSchema(schema, "the arguments");
  expect(() => validate({ a: 1 }))
    .toThrow("Cannot check the arguments: its schema is nested too deeply");
});

Deno.test("mcp client > equal entries in two files are two servers", () => {
  const sources = ["a", "b"].map(() => {
    const root = Deno.makeTempDirSync();
    const entry = { command: "./server" };
    Deno.writeTextFileSync(`${root}/toolcall.json`, JSON.stringify({ mcpServers: { it: entry } }));
    const stateDir = `${root}/state`;
    trustFile(`${root}/toolcall.json`, stateDir);
    const server = readServersConfig({ root, environment: () => ({}), grants, stateDir })
      .servers.get("it");
    Deno.removeSync(root, { recursive: true });
    return server !== undefined && "source" in server && server.source;
  });
  expect(new Set(sources).size).toBe(2);
});

Deno.test({
  name: "mcp client > a configuration that links to a file in /proc is not read",
  ignore: Deno.build.os !== "linux",
  fn() {
    const root = Deno.makeTempDirSync();
    Deno.symlinkSync("/proc/self/status", `${root}/toolcall.json`);
    expect(() => readServersConfig({ root, environment: () => ({}), grants })).toThrow(
      'toolcall.json": it is empty',
    );
    Deno.removeSync(root, { recursive: true });
  },
});

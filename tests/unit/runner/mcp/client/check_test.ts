/** Schemas of servers that are made to harm who checks arguments by them. */
import { expect } from "@std/expect";
import { CallError } from "../../../../../src/base/errors.ts";
import { readServersConfig } from "../../../../../src/runner/mcp/client/servers_config.ts";
import { compileSchema } from "../../../../../src/runner/mcp/client/compile_schema.ts";

const { entries, fromEntries } = Object;

/** A schema of forty steps, each of which is gone through twice as often as the one before. */
function doubling(): Record<string, unknown> {
  const steps = Array.from({ length: 40 }, (_, at) => {
    const $ref = `#/x/${at}`;
    return [`${at + 1}`, { allOf: [{ $ref }, { $ref }] }];
  });
  return { properties: { a: { $ref: "#/x/40" } }, x: { 0: {}, ...fromEntries(steps) } };
}

/** All that there is. */
const grants = { all: true, allow: {}, deny: {} };

Deno.test("mcp client > a check that would never end ends, and says so", async () => {
  for (const $schema of ["http://json-schema.org/draft-07/schema#", undefined]) {
    const schema = { ...doubling(), ...($schema && { $schema }) };
    const validate = await compileSchema(schema, "the arguments");
    const began = performance.now();
    let failure: unknown;
    try {
      validate({ a: 1 });
    } catch (error) {
      failure = error;
    }
    // Without its limit of five seconds the check would take longer than the world exists.
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(failure instanceof CallError && failure.code).toBe("unavailable");
    expect((failure as Error).message)
      .toBe("Cannot check the arguments: by its schema that takes more than 5000 ms");
    // The next check has its own time.
    expect(validate({})).toBe(true);
  }
});

Deno.test("mcp client > a schema that says $async is checked like any other", async () => {
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
Deno.test("mcp client > equal items are found, among 200,000 too", async () => {
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

Deno.test("mcp client > a schema that is nothing but itself is told", async () => {
  const [a, b] = ["b", "a"].map((other) => ({ allOf: [{ $ref: `#/$defs/${other}` }] }));
  const schema = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a, b } };
  const validate = await compileSchema(schema, "the arguments");
  expect(() => validate({ a: 1 }))
    .toThrow("Cannot check the arguments: its schema is nested too deeply");
});

Deno.test("mcp client > one entry in two files is two servers", () => {
  const sources = ["a", "b"].map(() => {
    const root = Deno.makeTempDirSync();
    const entry = { command: "./server" };
    Deno.writeTextFileSync(`${root}/toolcall.json`, JSON.stringify({ mcpServers: { it: entry } }));
    const server = readServersConfig({ root, environment: () => ({}), grants })
      .servers.get("it");
    Deno.removeSync(root, { recursive: true });
    return server !== undefined && "source" in server && server.source;
  });
  expect(new Set(sources).size).toBe(2);
});

Deno.test({
  name: "mcp client > a configuration that the kernel makes is not read",
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

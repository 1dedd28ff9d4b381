import { parseJsonDocument } from "../../../../src/base/json/exact_json.ts";
import { expect } from "@std/expect";
import { auditLine, type AuditRecord } from "../../../../src/runner/audit/audit_line.ts";
import { logRedactor, logValue } from "../../../../src/runner/audit/log_value.ts";

const mask = logRedactor({});

Deno.test("audit arguments > a value is masked completely if its name or its schema says that it is secret", () => {
  const schema = {
    $defs: { pin: { type: "string", format: "password" } },
    properties: {
      written: { writeOnly: true },
      referred: { $ref: "#/$defs/pin" },
      either: { anyOf: [{ type: "null" }, { $ref: "#/$defs/pin" }] },
      into: { $ref: "#/properties/either/anyOf/1" },
      encoded: { $ref: "#/%24defs/pin" },
      listed: { type: "array", items: { properties: { inner: { format: "password" } } } },
      pair: { prefixItems: [{}, { writeOnly: true }] },
      map: { additionalProperties: { format: "password" } },
      loop: { $ref: "#/properties/loop" },
    },
  };
  const given = {
    written: { a: 1 },
    referred: "abc",
    either: "abc",
    into: "abc",
    encoded: "abc",
    listed: [{ inner: "abc", other: "def" }],
    pair: ["a", "b"],
    map: { x: "abc" },
    loop: "abc",
    password: 1234,
    token: false,
    secret: null,
    headers: [{ name: "Authorization", value: "x y z" }, { name: "Accept", value: "text" }],
    variables: [{ key: "DB_PASSWORD", value: "abc" }, { key: "keyword", value: "def" }],
    nested: { deep: { apiKey: "abc", keyword: "def" } },
    old_string: "abc",
  };
  expect(logValue(given, { mask, schema })).toEqual({
    written: "[masked]",
    referred: "[masked]",
    either: "[masked]",
    into: "[masked]",
    encoded: "[masked]",
    listed: [{ inner: "[masked]", other: "def" }],
    pair: ["a", "[masked]"],
    map: { x: "[masked]" },
    loop: "abc",
    password: "[masked]",
    token: false,
    secret: null,
    headers: [{ name: "Authorization", value: "[masked]" }, { name: "Accept", value: "text" }],
    variables: [{ key: "[masked]", value: "[masked]" }, { key: "[masked]", value: "def" }],
    nested: { deep: { apiKey: "[masked]", keyword: "def" } },
    old_string: "abc",
  });
});

Deno.test("audit arguments > long values are bounded, and the omitted parts are counted", () => {
  const long = "ab ".repeat(100_000);
  const { content, many } = logValue({ content: long, many: Array(150).fill(1) }, { mask }) as {
    content: string;
    many: unknown[];
  };
  expect(content.slice(4_090)).toBe(`${long.slice(4_090, 4_096)}… [cut: 300000 characters in all]`);
  expect(many.slice(99)).toEqual([1, "[omitted: 50 more]"]);
  let deep: unknown = "abc";
  for (let level = 0; level < 10_000; level++) deep = { deep };
  expect(JSON.stringify(logValue(deep, { mask }))).toContain("[omitted: nested too deeply]");
  const huge = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`n${at}`, long]));
  const wide = Array(90).fill(Array(90).fill(Array(90).fill("ab")));
  for (const value of [huge, wide, { [long]: 1 }]) {
    expect(JSON.stringify(logValue(value, { mask })).length).toBeLessThan(60_000);
  }
  const names = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`n${at}`, at]));
  expect(logValue(names, { mask })).toMatchObject({ "…": "[omitted: 20 more]", n99: 99 });
});

Deno.test("audit arguments > values without strings are bounded too", () => {
  for (const leaf of [[], {}, null, 1e300]) {
    let value: unknown = leaf;
    for (let level = 0; level < 4; level++) value = Array(100).fill(value);
    expect(JSON.stringify(logValue(value, { mask })).length).toBeLessThan(200_000);
  }
});

Deno.test("audit arguments > names that look equal after the cut or the mask stay separate", () => {
  const [long, token] = ["n".repeat(300), "ghp_0123456789abcdefghij"];
  const given = { [`${long}1`]: 1, [`${long}2`]: 2, [`${token}a`]: 3, [`${token}b`]: 4 };
  const shown = logValue(given, { mask }) as object;
  expect(Object.values(shown)).toEqual([1, 2, 3, 4]);
  expect(Object.keys(shown).slice(2)).toEqual(["[masked]", "[masked] (2)"]);
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`n${at}`, at]));
  expect(logValue({ "…": "mine", ...many }, { mask }))
    .toMatchObject({ "…": "mine", "… (2)": "[omitted: 21 more]" });
});

Deno.test("audit arguments > a secret at the place of the cut is not shown in part", () => {
  const secret = `sk-${"x".repeat(5_000)}`;
  for (const before of [4_000, 4_090, 4_095, 12_000, 16_380, 16_383]) {
    const shown = logValue(`${" ".repeat(before)}${secret}${"y ".repeat(20_000)}`, { mask });
    expect({ before, leaks: String(shown).includes("x") }).toEqual({ before, leaks: false });
  }
  const masked = logValue(`${"sk-0123456789abcdef ".repeat(819)}${secret} z`.repeat(2), { mask });
  expect(String(masked)).not.toContain("x");
});

Deno.test("audit line > a record with any characters is one line of printable ASCII", () => {
  const hostile = '\n\r\u001b[31m\u007f\u0085\u009b\u2028\u2029\u202e\ud800\udfff\0ü🦕"\\';
  const record: AuditRecord = {
    time: "",
    tool: hostile,
    arguments: logValue({ [hostile]: hostile, __proto__: 1, constructor: hostile }, { mask }),
    needs: [hostile],
    plan: null,
    sandbox: { flags: null, runtime: null, kernel: null },
    refusedBy: null,
    code: null,
    exit: 0,
    durationMs: 0,
    session: hostile,
    pid: 1,
    cwd: hostile,
  };
  const line = auditLine(record);
  expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(line)).toEqual(record);
});

Deno.test("log value > a number that JavaScript would change is logged with its digits", () => {
  const { value } = parseJsonDocument('{"a":[1180591620717411303,1e400]}');
  expect(logValue(value, { mask: (text) => text })).toEqual({
    a: ["1180591620717411303", "1e400"],
  });
});

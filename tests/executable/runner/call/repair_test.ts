/** Repairs of arguments: which values are repaired, which are not, and that nothing is lost. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "@std/expect";
import type { Repair } from "../../../../src/runner/call/call.ts";
import { repairArguments } from "../../../../src/runner/call/repair.ts";
import {
  call,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../support/executable.ts";

type Schema = Record<string, unknown>;

/** Repairs a property with this schema. Returns undefined if the result does not fit the schema. */
function repair(schema: Schema, value: unknown, more: Schema = {}) {
  const whole = {
    type: "object",
    properties: { x: schema },
    additionalProperties: false,
    ...more,
  };
  const args: Record<string, unknown> = { x: value };
  const repairs = repairArguments(whole, args);
  const fits = new Ajv2020({ strict: false }).compile(whole)(args);
  return fits ? { args, rules: repairs.map(({ path, rule }) => `${path} ${rule}`) } : undefined;
}

const integer = { type: "integer" };
const strings = { type: "array", items: { type: "string" } };
const point = { type: "object", properties: { x: integer }, required: ["x"] };

const repaired: [schema: Schema, value: unknown, expected: unknown, rules: string[]][] = [
  [integer, "42", 42, ["/x integer"]],
  [integer, "-7", -7, ["/x integer"]],
  [integer, "42.0", 42, ["/x integer"]],
  [integer, "9007199254740991", 9007199254740991, ["/x integer"]],
  [{ type: "number" }, "0.10", 0.1, ["/x number"]],
  [{ type: "number" }, "1e3", 1000, ["/x number"]],
  [{ type: "number" }, "1.5E-7", 1.5e-7, ["/x number"]],
  [{ type: "boolean" }, "true", true, ["/x boolean"]],
  [{ type: "boolean" }, "false", false, ["/x boolean"]],
  [strings, '["a"]', ["a"], ["/x json_text"]],
  [strings, ' ["a", "b"] ', ["a", "b"], ["/x json_text"]],
  [strings, "a", ["a"], ["/x one_item"]],
  [{ type: "array", items: integer }, 5, [5], ["/x one_item"]],
  [{ type: "array", items: { type: "boolean" } }, false, [false], ["/x one_item"]],
  [point, '{"x":1}', { x: 1 }, ["/x json_text"]],
  [point, '{"x":"1"}', { x: 1 }, ["/x json_text", "/x/x integer"]],
  [{ type: "array", items: point }, '["{\\"x\\":\\"1\\"}"]', [{ x: 1 }], [
    ...["/x json_text", "/x/0 json_text", "/x/0/x integer"],
  ]],
  [{ type: ["integer", "null"] }, "42", 42, ["/x integer"]],
  [{ anyOf: [integer, { type: "null" }] }, "42", 42, ["/x integer"]],
  [{ $ref: "#/properties/x/$defs/n", $defs: { n: integer } }, "42", 42, ["/x integer"]],
  [{ type: "object", additionalProperties: integer }, { a: "1" }, { a: 1 }, ["/x/a integer"]],
];

Deno.test("repair > null for an optional argument is dropped before a union is checked", async (t) => {
  const rows: [schema: Schema, isDropped: boolean][] = [
    [integer, true],
    [{ anyOf: [{ type: "string" }, { type: "boolean" }, integer, strings] }, true],
    [{ oneOf: [{ type: "string" }, point] }, true],
    [{ type: ["string", "integer"] }, true],
    [{ enum: ["a", "b"] }, true],
    [{ const: 5 }, true],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, false],
    [{ anyOf: [{ type: "string" }, { anyOf: [integer, { type: ["null", "object"] }] }] }, false],
    [{ enum: ["a", null] }, false],
    [{ description: "anything" }, false],
  ];
  for (const [schema, isDropped] of rows) {
    await t.step(JSON.stringify(schema), () => {
      const expected = isDropped
        ? { args: {}, rules: ["/x null"] }
        : { args: { x: null }, rules: [] };
      expect(repair(schema, null)).toEqual(expected);
      if (isDropped) expect(repair(schema, null, { required: ["x"] })).toBeUndefined();
    });
  }
});

Deno.test("repair > a value is repaired when nothing is lost", async (t) => {
  for (const [schema, value, expected, rules] of repaired) {
    await t.step(`${JSON.stringify(schema)} of ${JSON.stringify(value)}`, () => {
      expect(repair(schema, value)).toEqual({ args: { x: expected }, rules });
    });
  }
});

const left: [why: string, schema: Schema, value: unknown][] = [
  ["rounded", integer, "9007199254740992"],
  ["rounded", integer, "9007199254740993"],
  ["not an integer", integer, "1.5"],
  ["too large", { type: "number" }, "1e999"],
  ["not a number", { type: "number" }, "Infinity"],
  ["not a number", { type: "number" }, "NaN"],
  ["rounded", { type: "number" }, "0.12345678901234567891"],
  ["vanishing", { type: "number" }, "1e-400"],
  ["its sign is lost", integer, "-0"],
  ["hexadecimal", integer, "0x10"],
  ["possibly octal", integer, "010"],
  ["a sign that JSON does not allow", integer, "+1"],
  ["white space", integer, " "],
  ["white space around", integer, " 42"],
  ["an empty string", integer, ""],
  ["upper case", { type: "boolean" }, "TRUE"],
  ["a number", { type: "boolean" }, "1"],
  ["a number", { type: "boolean" }, 1],
  ["a boolean", integer, true],
  ["a number for a string", { type: "string" }, 42],
  ["cut off", strings, "[1,2"],
  ["cut off", strings, '["a"'],
  ["numbers for strings", strings, "[1,2]"],
  ["a rounded number inside", { type: "array", items: { type: "number" } }, "[9007199254740993]"],
  ["a lone surrogate inside", strings, '["\\ud800"]'],
  ["an empty string, which may mean an empty list", strings, ""],
  ["an object for a list", { type: "array", items: point }, '{"x":1}'],
  ["an object, which is not a scalar", { type: "array", items: point }, { x: 1 }],
  ["two repairs of one scalar", { type: "array", items: integer }, "5"],
  ["a union", { anyOf: [integer, { type: "boolean" }] }, "42"],
  ["a union of types", { type: ["integer", "boolean"] }, "42"],
  ["a limit that it breaks", { type: "integer", maximum: 10 }, "42"],
  ["five nested strings", point, nestedStrings(5)],
];

/** An object in JSON whose property is a string with such an object, and so on. */
function nestedStrings(depth: number): string {
  let text = '{"x":1}';
  for (let at = 1; at < depth; at++) text = JSON.stringify({ x: text });
  return text;
}

Deno.test("repair > J3 an ambiguous value is not repaired", async (t) => {
  for (const [why, schema, value] of left) {
    await t.step(`${why}: ${JSON.stringify(value).slice(0, 60)}`, () => {
      expect(repair(schema, value)).toBeUndefined();
    });
  }
});

Deno.test("repair > null means absent only for an optional argument", () => {
  expect(repair(integer, null)).toEqual({ args: {}, rules: ["/x null"] });
  expect(repair(integer, null, { required: ["x"] })).toBeUndefined();
  expect(repair({ type: ["integer", "null"] }, null)).toEqual({ args: { x: null }, rules: [] });
  expect(repair({ type: "array", items: integer }, [null])).toBeUndefined();
  const args = { y: null };
  expect(repairArguments({ type: "object", properties: {}, additionalProperties: false }, args))
    .toEqual([]);
  expect(args).toEqual({ y: null });
});

Deno.test("repair > J4 a recursive schema and deeply nested arguments take bounded time", () => {
  const node: Schema = { type: "object", properties: { next: { $ref: "#" }, n: integer } };
  const args: Record<string, unknown> = {};
  let at = args;
  for (let depth = 0; depth < 5_000; depth++) at = at["next"] = { n: "1" } as typeof at;
  expect(repairArguments(node, args).length).toBeLessThan(100);
  expect(repairArguments({ $ref: "#" }, { x: "1" })).toEqual([]);
  expect(repairArguments({ type: "object", properties: { x: { $ref: "#/a/%zz" } } }, { x: "1" }))
    .toEqual([]);
});

Deno.test("repair > a key __proto__ is a key like any other", () => {
  const args = { x: '{"__proto__":{"x":"1"},"x":"2"}' };
  const schema = { type: "object", properties: { x: point } };
  repairArguments(schema, args);
  const x = args.x as unknown as Record<string, unknown>;
  expect(Object.getPrototypeOf(x)).toBe(Object.prototype);
  expect(Object.keys(x)).toEqual(["__proto__", "x"]);
  expect(x["x"]).toBe(2);
});

/** A generator of numbers in [0, 1) that repeats the same numbers for a seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The meaning of a value, independent of its type. */
function meaning(value: unknown): string {
  if (typeof value === "string") {
    try {
      return meaning(JSON.parse(value));
    } catch {
      return JSON.stringify(value);
    }
  }
  if (Array.isArray(value)) {
    return value.length === 1 ? meaning(value[0]) : `[${value.map(meaning).join()}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return `{${kept.map(([key, each]) => `${key}:${meaning(each)}`).join()}}`;
}

Deno.test("repair > a repaired value validates and keeps its meaning", () => {
  const random = numbers(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const schemaOf = (depth: number): Schema => {
    const type = pick(["integer", "number", "boolean", "string", "array", "object"]);
    if (depth > 2 || !["array", "object"].includes(type)) {
      return { type: depth > 2 ? "integer" : type };
    }
    if (type === "array") return { type, items: schemaOf(depth + 1) };
    const properties = { a: schemaOf(depth + 1), b: schemaOf(depth + 1) };
    return { type, properties, additionalProperties: false, required: pick([[], ["a"]]) };
  };
  const scalars = [
    "1",
    "1.5",
    "true",
    "null",
    "x",
    "[1]",
    "",
    "1e3",
    1,
    1.5,
    true,
    null,
    "-3",
    "[]",
  ];
  const valueOf = (depth: number): unknown => {
    const kind = random();
    if (depth > 3 || kind < 0.6) return pick(scalars);
    const value = kind < 0.8
      ? [valueOf(depth + 1), valueOf(depth + 1)].slice(Math.floor(random() * 2))
      : { a: valueOf(depth + 1), b: valueOf(depth + 1) };
    return random() < 0.4 ? JSON.stringify(value) : value;
  };
  let repairs: Repair[] = [];
  let repairedCount = 0;
  let schema: Schema = {};
  let validate = new Ajv2020().compile(schema);
  for (let round = 0; round < 8_000; round++) {
    // Compiling takes much longer than checking.
    if (round % 40 === 0) {
      schema = { type: "object", properties: { a: schemaOf(0) }, additionalProperties: false };
      validate = new Ajv2020({ strict: false }).compile(schema);
    }
    const args: Record<string, unknown> = { a: valueOf(0) };
    if (validate(args)) continue;
    const before = meaning(args);
    repairs = repairArguments(schema, args);
    if (!validate(args)) continue;
    repairedCount++;
    expect(repairs.length).toBeGreaterThan(0);
    expect({ round, meaning: meaning(args) }).toEqual({ round, meaning: before });
  }
  expect(repairedCount).toBeGreaterThan(200);
});

Deno.test("call > the result lists the repairs of its call, and --strict disables repairs", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "one\ntwo\n");
  const args = { file_path: `${directory.path}/a.txt`, offset: "2", limit: null };
  const repairs = [
    { path: "/offset", rule: "integer", from: "2" },
    { path: "/limit", rule: "null", from: null },
  ];
  const result = await call("Read", args, { flags: ["-R"] });
  expect(result.text).toContain("2\ttwo");
  expect(result._meta).toEqual({ "toolcall/repaired": repairs } as unknown);
  const strict = await call("Read", args, { flags: ["-R", "--strict"] });
  expect([strict.exit, strict.text.match(/^- .*: must be/gm)]).toEqual([5, [
    "- /offset: must be",
    "- /limit: must be",
  ]]);
  expect(strict._meta?.["toolcall/error"].code).toBe("invalid_arguments");
  const exact = await call("Read", { ...args, offset: 2, limit: 1 }, { flags: ["-R"] });
  expect(exact._meta).toBeUndefined();
});

Deno.test("call > the remaining problems are reported for the repaired arguments", async () => {
  const todos = JSON.stringify([{ content: "a", status: "open", activeForm: "b" }]);
  const result = await call("TodoWrite", { todos }, { flags: ["-A"] });
  expect(result.exit).toBe(5);
  expect(result.text).toContain("- /todos/0/status: must be one of");
  expect(result._meta).toMatchObject({
    "toolcall/repaired": [{ path: "/todos", rule: "json_text" }],
  });
});

Deno.test("call > each call of a message is repaired, and its result lists its own repairs", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "one\n");
  const uses = ["1", "2"].map((id) => ({
    type: "tool_use",
    id,
    name: "Read",
    input: { file_path: `${directory.path}/a.txt`, limit: id },
  }));
  const run = await toolcall(["-R"], { stdin: JSON.stringify(uses) });
  const results = oneLine(run) as { _meta: Record<string, unknown> }[];
  expect(results.map(({ _meta }) => _meta["toolcall/repaired"])).toEqual([
    [{ path: "/limit", rule: "integer", from: "1" }],
    [{ path: "/limit", rule: "integer", from: "2" }],
  ]);
});

const almost: [name: string, text: string][] = [
  ["code fences", '```json\n{"name":"fs.read","arguments":{"path":"a.txt"}}\n```'],
  ["comments", '{"name":"fs.read", // the tool\n "arguments":{"path":"a.txt"} /* all */}'],
  ["single quotes", "{'name':'fs.read','arguments':{'path':'a.txt'}}"],
  ["trailing commas", '{"name":"fs.read","arguments":{"path":"a.txt",},}'],
  ["Python's literals", '{"name":"fs.read","arguments":{"path":"a.txt"},"_meta":None}'],
];

for (const [name, stdin] of almost) {
  Deno.test(`call > J2 --repair-json > ${name} are repaired only with the flag`, async () => {
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${directory.path}/a.txt`, "one\n");
    const mended = await toolcall(["-R", "--repair-json"], { stdin, cwd: directory.path });
    expect(oneLine(mended)).toEqual({
      content: [{ type: "text", text: "one\n" }],
      isError: false,
      _meta: { "toolcall/repaired": [{ path: "", rule: "json_syntax" }] },
    });
    expect((await toolcall(["-R"], { stdin, cwd: directory.path })).code).toBe(3);
  });
}

const beyond: [name: string, text: string][] = [
  ["a call that is cut off", '{"name":"fs.write","arguments":{"path":"a.txt","content":"half'],
  [
    "a call without its last bracket",
    '{"name":"fs.write","arguments":{"path":"a.txt","content":"x"}',
  ],
  [
    "a call that is cut off in a string that ends with brackets",
    '{"name":"fs.write","arguments":{"path":"a.txt","content":"half }}',
  ],
  [
    "a call that is cut off in a comment",
    '{"name":"fs.write","arguments":{"path":"a.txt","content":"half" // }}',
  ],
  ["a key that occurs twice", "{name:'fs.read',arguments:{path:'a',path:'b'}}"],
  ["prose", "I would call fs.read now"],
  ["very deep nesting", "[".repeat(100_000)],
];

for (const [name, stdin] of beyond) {
  Deno.test(`call > --repair-json > ${name} is still malformed`, async () => {
    using directory = temporaryDirectory();
    const run = await toolcall(["-A", "--repair-json"], { stdin, cwd: directory.path });
    expect([run.code, (oneLine(run) as Result).isError]).toEqual([3, true]);
    expect([...Deno.readDirSync(directory.path)]).toEqual([]);
  });
}

Deno.test("call > --repair-json > the arguments string of an OpenAI call is repaired", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "one\n");
  const call = {
    id: "1",
    type: "function",
    function: { name: "fs_read", arguments: "{path:'a.txt',}" },
  };
  const run = await toolcall(["-R", "--repair-json"], {
    stdin: JSON.stringify(call),
    cwd: directory.path,
  });
  expect(oneLine(run)).toMatchObject({
    isError: false,
    _meta: { "toolcall/repaired": [{ path: "", rule: "json_syntax" }] },
  });
  const check = await toolcall(["check", "-R", "--repair-json"], {
    stdin: JSON.stringify(call),
    cwd: directory.path,
  });
  expect(oneLine(check)).toMatchObject({
    granted: true,
    repaired: [{ path: "", rule: "json_syntax" }],
  });
});

const ofText = { type: "object", properties: { a: { type: "string" } } };
const ofNumbers = { type: "object", additionalProperties: integer };
/** Schemas of `x` that the values fit, although another part of each schema would repair them. */
const fitting: [schema: Schema, value: unknown][] = [
  [{ type: "array", prefixItems: [{ type: "string" }], items: integer }, ["42", 7]],
  [{ ...ofNumbers, patternProperties: { "^s_": { type: "string" } } }, { s_a: "42" }],
  [{ $ref: "#/$defs/more", properties: { b: integer } }, { a: "42" }],
  [{ anyOf: [{ $ref: "#/$defs/more" }, { type: "null" }], properties: { b: integer } }, {
    a: "42",
  }],
];
Deno.test("repairs > a valid value is unchanged when another value is repaired", () => {
  const $defs = { more: { ...ofNumbers, ...ofText } };
  for (const [schema, value] of fitting) {
    const whole = { type: "object", properties: { x: schema, y: integer }, $defs };
    const fits = new Ajv2020({ strict: false }).compile(whole);
    expect([schema, fits({ x: value })]).toEqual([schema, true]);
    const args = { x: structuredClone(value), y: "1" };
    const paths = repairArguments(whole, args).map(({ path }) => path);
    expect([schema, args, paths]).toEqual([schema, { x: value, y: 1 }, ["/y"]]);
  }
});

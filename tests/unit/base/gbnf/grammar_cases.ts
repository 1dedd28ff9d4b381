/** Tests of grammars. Each reader of grammars must pass them. */
import { expect } from "@std/expect";
import { callGrammar } from "../../../../src/base/gbnf/grammar.ts";
import { entries } from "../../../../tools/_generated/index.ts";
import { Dice } from "../../../support/random_schemas.ts";

export type Schema = Record<string, unknown>;

/** Reads a grammar, and returns a function that tests whole texts. */
export type ReadGrammar = (text: string) => Awaitable<(text: string) => boolean>;
type Awaitable<T> = T | Promise<T>;

/** The grammar of a tool `T` whose only argument has that schema. */
export function grammarOf(schema: unknown, $defs: Schema = {}) {
  const inputSchema = {
    type: "object",
    properties: { v: schema },
    required: ["v"],
    additionalProperties: false,
    $defs,
  };
  return { ...callGrammar([{ name: "T", inputSchema }]), inputSchema };
}

/** The call of that tool with a value as JSON. */
export const callOf = (value: string) => `{"name":"T","arguments":{"v":${value}}}`;

/** A value as JSON, its keys in the order in which the schema has them. */
function ordered(value: unknown, schema: Schema): unknown {
  const keys = Object.keys((schema["properties"] ?? {}) as Schema);
  if (Array.isArray(value)) {
    return value.map((each) => ordered(each, (schema["items"] ?? {}) as Schema));
  }
  if (typeof value !== "object" || value === null) return value;
  const at = (key: string) => keys.includes(key) ? keys.indexOf(key) : keys.length;
  const own = (schema["properties"] ?? {}) as Record<string, Schema>;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => at(a) - at(b))
      .map(([key, each]) => [key, ordered(each, own[key] ?? {})]),
  );
}

/** The arguments, where one is removed, has another value, or has an unknown name. */
function changed(dice: Dice, args: Schema, schema: Schema): Schema {
  const copy = structuredClone(args);
  const keys = Object.keys(schema["properties"] as Schema);
  const key = dice.of([...keys, "unknown"]);
  if (dice.once(4)) delete copy[key];
  else {
    copy[key] = dice.of<unknown>([
      ...["", "x", "/x", "12-3", "content", "a".repeat(300), 'q"\\\n'],
      ...[0, 1, -1, 600_000, 600_001, 1.5, true, null, [], {}, ["x"], [{ content: "x" }]],
    ]);
  }
  return copy;
}

const rows: [what: string, schema: unknown, admitted: string[], refused: string[]][] = [
  ["string", { type: "string" }, ['"foo"', '""', '"\\u00e9\\/\\ud83d\\ude00"'], [
    "{}",
    "foo",
    '"\\ud83d"',
    '"a\nb"',
    '"\\x"',
  ]],
  ["minLength", { type: "string", minLength: 3 }, ['"foo"', '"foobar"', '"\\u00e9aa"'], [
    '""',
    '"fo"',
    '"\\u00e9a"',
  ]],
  [
    "maxLength",
    { type: "string", maxLength: 3 },
    ['"foo"', '""', '"😀😀😀"', '"\\ud83d\\ude00aa"'],
    ['"foob"'],
  ],
  ["both lengths", { type: "string", minLength: 1, maxLength: 4 }, ['"f"', '"barf"'], [
    '""',
    '"barfo"',
  ]],
  ["lengths in thousands", { type: "string", minLength: 1_500, maxLength: 4_321 }, [
    ...[1_500, 1_501, 2_500, 3_000, 3_999, 4_000, 4_321].map((n) => `"${"a".repeat(n)}"`),
  ], [0, 1, 1_499, 4_322, 5_000].map((n) => `"${"a".repeat(n)}"`)],
  ["boolean", { type: "boolean" }, ["true", "false"], ['""', '"true"', "True"]],
  ["integer", { type: "integer" }, ["0", "12345", "1234567890123456", "-7"], [
    "",
    "01",
    "007",
    "1.5",
    "1e3",
    "+1",
    "--1",
  ]],
  ["number", { type: "number" }, ["0", "-0.5", "1e+21", "1.5e-7", "120.25"], [
    "01",
    ".5",
    "1.",
    "1e999",
    "1e",
  ]],
  [
    "integers that are exact in JavaScript",
    { type: "integer" },
    ["9007199254740991", "-9007199254740991"],
    ["9007199254740992", "12345678901234567890"],
  ],
  ["numbers that are exact in JavaScript", { type: "number" }, [
    "9007199254740991",
    "1e+300",
    "123456789012345.75",
  ], ["9007199254740993", "1e400"]],
  ["const string", { const: "foo" }, ['"foo"'], ["foo", '"bar"']],
  ["const", { const: true }, ["true"], ["false", '"true"']],
  ["enum", { enum: ["red", "green", null, 42, ["foo"]] }, ['"red"', "null", "42", '["foo"]'], [
    "420",
    "true",
    '"blue"',
  ]],
  ["enum beside a type", { type: "string", enum: ["red", 42], minLength: 3 }, ['"red"'], ["42"]],
  ["pattern", { type: "string", pattern: "^[a-zA-Z0-9_-]*$" }, ['""', '"He_llo-12"'], [
    '"!"',
    '"Hello World"',
  ]],
  [
    "pattern with escapes",
    { type: "string", pattern: "^a\\^\\$\\.\\[\\]\\(\\)\\|\\{\\}\\*\\+\\?b$" },
    ['"a^$.[]()|{}*+?b"'],
    ['"ab"'],
  ],
  ["pattern within lengths", { type: "string", pattern: "^/[a-z]+$", minLength: 3, maxLength: 5 }, [
    '"/ab"',
    '"/abcd"',
  ], ['"/a"', '"/abcde"', '"abc"']],
  ["several types", { type: ["array", "null"], items: { type: "string" } }, [
    "null",
    "[]",
    '["foo", "bar"]',
  ], ["[123]", '"foo"', '["foo", 42]']],
  [
    "minItems, maxItems",
    { type: "array", items: { type: ["number", "integer"] }, minItems: 3, maxItems: 5 },
    ["[1, 2, 3]", "[1, 2, 3, 4, 5]"],
    ["[1, 2]", "[1, 2, 3, 4, 5, 6]", "1"],
  ],
  [
    "prefixItems",
    {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }],
      items: false,
      minItems: 1,
    },
    ['["a"]', '["a",1]'],
    ["[]", '["a","b"]', '["a",1,2]'],
  ],
  ["old tuples", { type: "array", items: [{ const: 1 }], additionalItems: { const: 2 } }, [
    "[]",
    "[1]",
    "[1,2,2]",
  ], ["[2]", "[1,1]"]],
  [
    "open properties",
    { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } },
    ['{"a":42}', '{"c":""}', '{"a":42,"c":""}', '{"a_":""}', "{}"],
    ['{"a":""}', '{"a":1,"b":""}', '{"\\u0061":""}'],
  ],
  [
    "order",
    {
      type: "object",
      properties: { b: {}, a: {}, d: {}, c: {} },
      required: ["a", "b"],
      additionalProperties: false,
    },
    ['{"b":1,"a":2}', '{"b":1,"a":2,"d":3,"c":4}'],
    ['{"a":2,"b":1}', '{"b":1}', '{"b":1,"a":2,"c":4,"d":3}'],
  ],
  [
    "names of other properties",
    {
      type: "object",
      additionalProperties: { type: "integer" },
      properties: { ab: { const: "x" } },
    },
    ['{"ab":"x","a":1}', '{"abc":1,"":2}'],
    ['{"ab":1}', '{"a":"x"}'],
  ],
  ["required but not declared", { type: "object", required: ["z"] }, ['{"z":1}', '{"z":1,"a":2}'], [
    "{}",
    '{"a":2}',
  ]],
  [
    "a forbidden property",
    { type: "object", properties: { a: false, b: {} } },
    ['{"b":1}', "{}"],
    ['{"a":1}'],
  ],
  ["integers in a range", { type: "integer", minimum: -12, maximum: 1_034 }, [
    "-12",
    "-9",
    "0",
    "9",
    "99",
    "999",
    "1034",
  ], ["-13", "-20", "-100", "1035", "2000", "10000"]],
  ["integers from", { type: "integer", exclusiveMinimum: 98.5 }, ["99", "100", "123456"], [
    "98",
    "9",
    "-99",
    "0",
  ]],
  ["integers to", { type: "integer", exclusiveMaximum: -5 }, ["-6", "-10", "-99999"], [
    "-5",
    "-1",
    "0",
    "6",
  ]],
  ["numbers in a range", { type: "number", minimum: 0.5, exclusiveMaximum: 12.25 }, [
    "0.5",
    "0.51",
    "1",
    "9.99",
    "12",
    "12.0",
    "12.2",
    "12.2499",
  ], ["0", "0.4", "0.49999", "12.25", "12.250", "12.3", "13", "-1", "100"]],
  ["numbers above zero", { type: "number", exclusiveMinimum: 0 }, ["0.001", "1", "12.5"], [
    "0",
    "0.0",
    "-1",
  ]],
  ["numbers up to zero", { type: "number", maximum: 0 }, ["0", "-0.5", "-12"], ["0.1", "1"]],
  [
    "anyOf beside others",
    {
      type: "object",
      properties: { k: { type: "string" } },
      required: ["k"],
      anyOf: [{ properties: { x: { type: "integer" } }, required: ["x"] }, {
        properties: { y: { type: "boolean" } },
        required: ["y"],
      }],
    },
    ['{"k":"a","x":1}', '{"k":"a","y":true}'],
    ['{"k":"a"}', '{"k":1,"x":1}'],
  ],
  ["oneOf of different types", { oneOf: [{ type: "string" }, { type: "null" }] }, ['"a"', "null"], [
    "1",
  ]],
  [
    "allOf that closes",
    {
      allOf: [{ properties: { a: { type: "integer" } }, additionalProperties: false }, {
        properties: { b: {} },
      }],
      type: "object",
    },
    ["{}", '{"a":1}'],
    ['{"b":1}', '{"a":1,"b":1}'],
  ],
  [
    "allOf of bounds",
    { allOf: [{ type: "integer", minimum: 2 }, { type: "number", maximum: 4 }] },
    ["2", "4"],
    ["1", "5", "2.5"],
  ],
  ["a reference to a recursive definition", { $ref: "#/$defs/list" }, [
    "null",
    '{"next":null}',
    '{"next":{"next":null}}',
  ], ["{}", '{"next":1}', '{"next":{}}']],
  ["a reference beside other keywords", { $ref: "#/$defs/name", maxLength: 3 }, ['"abc"'], [
    '"abcd"',
    '"1"',
  ]],
  [
    "two definitions that refer to each other",
    {
      type: "array",
      prefixItems: [{ $ref: "#/$defs/one" }, { $ref: "#/$defs/two" }],
      items: false,
    },
    ['["x","y"]', '["y","x"]'],
    ['["z"]', '["x","z"]'],
  ],
  ["a definition that refers to itself or a string", { $ref: "#/$defs/loop" }, ['"s"'], [
    "1",
    "null",
  ]],
];

const omitted: [what: string, schema: Schema, admitted: string][] = [
  ['"format"', { type: "string", format: "uri" }, '"x"'],
  ['"pattern" "^(?=a)"', { type: "string", pattern: "^(?=a)" }, '"b"'],
  [
    '"pattern" "^([a-z]{1,900}){1,900}$"',
    { type: "string", pattern: "^([a-z]{1,900}){1,900}$" },
    '"1"',
  ],
  ['"pattern" "(a*)*"', { type: "string", pattern: "(a*)*" }, '"b"'],
  ['"pattern" "\\\\bx"', { type: "string", pattern: "\\bx" }, '"b"'],
  ['"minLength" and "maxLength" beside this "pattern"', {
    type: "string",
    pattern: "^a*b*$",
    minLength: 2,
  }, '"a"'],
  ['"oneOf"', { oneOf: [{ type: "integer" }, { type: "number" }] }, "1"],
  ['"enum" beside others', { type: "object", enum: [{}, { a: 1 }], required: ["a"] }, "{}"],
  ['"uniqueItems"', { type: "array", uniqueItems: true }, "[1,1]"],
  ['"contains"', { type: "array", contains: { const: 1 } }, "[]"],
  ['"multipleOf"', { type: "integer", multipleOf: 3 }, "4"],
  ['"not"', { type: "string", not: { const: "a" } }, '"a"'],
  ['"if"', { type: "string", if: {}, then: false }, '"a"'],
  ['"minProperties"', { type: "object", minProperties: 1 }, "{}"],
  ['"patternProperties"', { type: "object", patternProperties: { a: false } }, '{"a":1}'],
  ['"maxLength" above 1000000', { type: "string", maxLength: 2_000_000 }, '"a"'],
  ['"$ref" "https://example.com/s"', { $ref: "https://example.com/s" }, "1"],
  ['the unknown type "text"', { type: "text" }, "1"],
  ['a second "pattern"', { allOf: [{ type: "string", pattern: "a" }, { pattern: "b" }] }, '"a"'],
];

/** Defines the tests of the grammars of the tools and of each keyword. */
export function testGrammars(readGrammar: ReadGrammar, { ignore }: { ignore: boolean }): void {
  Deno.test({
    name:
      "grammar > the grammar of each tool admits its examples, and no changed example that the tool refuses",
    ignore,
    fn: async () => {
      const dice = new Dice(7);
      const counts = { fits: 0, fails: 0 };
      for (const { name, load } of entries) {
        const { metadata, validate } = await load();
        const schema = metadata.inputSchema;
        const { text, problems } = callGrammar([metadata]);
        const { url = {} } = (schema["properties"] ?? {}) as Record<string, Schema>;
        const hasFormat = url["format"] !== undefined;
        expect(problems).toEqual(
          hasFormat ? [`"${name}": the grammar omits arguments.url: "format"`] : [],
        );
        const admits = await readGrammar(text);
        const asked = (args: unknown) => {
          const call = JSON.stringify({ name, arguments: ordered(args, schema) });
          const fits = validate(structuredClone(args));
          // The grammar omits formats, so it admits a string of another form.
          if (hasFormat && !fits && typeof (args as Schema)["url"] === "string") return;
          counts[fits ? "fits" : "fails"]++;
          expect({ call, admitted: admits(call) }).toEqual({ call, admitted: fits });
        };
        for (const { input } of metadata.examples) {
          const args = JSON.parse(
            JSON.stringify(input).replaceAll("$ROOT", "/r").replaceAll("$SERVER", "h"),
          );
          expect({ name, args, fits: validate(structuredClone(args)) }).toEqual({
            name,
            args,
            fits: true,
          });
          asked(args);
          for (let each = 0; each < 60; each++) asked(changed(dice, args, schema));
        }
      }
      expect(counts.fits).toBeGreaterThan(500);
      expect(counts.fails).toBeGreaterThan(500);
    },
  });

  Deno.test({
    name: "grammar > the keywords that llama.cpp's own converter supports, and more, are expressed",
    ignore,
    fn: async () => {
      const $defs = {
        list: {
          anyOf: [{ type: "null" }, {
            type: "object",
            properties: { next: { $ref: "#/$defs/list" } },
            required: ["next"],
            additionalProperties: false,
          }],
        },
        name: { type: "string", pattern: "^[a-z]+$" },
        one: { anyOf: [{ $ref: "#/$defs/two" }, { const: "x" }] },
        two: { anyOf: [{ $ref: "#/$defs/one" }, { const: "y" }] },
        loop: { anyOf: [{ $ref: "#/$defs/loop" }, { type: "string" }] },
      };
      for (const [what, schema, admitted, refused] of rows) {
        const { text, problems } = grammarOf(schema, $defs);
        const admits = await readGrammar(text);
        expect({ what, problems }).toEqual({ what, problems: [] });
        expect({ what, wrong: admitted.filter((each) => !admits(callOf(each))) }).toEqual({
          what,
          wrong: [],
        });
        expect({ what, wrong: refused.filter((each) => admits(callOf(each))) }).toEqual({
          what,
          wrong: [],
        });
      }
    },
  });

  Deno.test({
    name:
      "grammar > a keyword that cannot be expressed is reported, and the grammar admits more values",
    ignore,
    fn: async () => {
      for (const [what, schema, admitted] of omitted) {
        const { text, problems } = grammarOf(schema);
        expect(problems).toEqual([`"T": the grammar omits arguments.v: ${what}`]);
        expect({ what, admitted: (await readGrammar(text))(callOf(admitted)) }).toEqual({
          what,
          admitted: true,
        });
      }
    },
  });

  Deno.test({
    name:
      "grammar > its size stays in proportion to the schema's size, also with many optional parts",
    ignore,
    fn: async () => {
      const names = Array.from({ length: 1_000 }, (_, at) => `p${at}`);
      const many = grammarOf({
        type: "object",
        properties: Object.fromEntries(names.map((each) => [each, { type: "integer" }])),
        additionalProperties: false,
      });
      expect(many.text.length).toBeLessThan(300_000);
      const admits = await readGrammar(many.text);
      expect(admits(callOf('{"p3":1,"p500":2,"p999":3}'))).toBe(true);
      expect(admits(callOf('{"p500":2,"p3":1}'))).toBe(false);
      // Each definition is twice as large as the one before.
      const $defs = Object.fromEntries(
        names.slice(0, 40).map((each, at) => [
          each,
          at === 0
            ? { type: "string" }
            : { allOf: [{ $ref: `#/$defs/p${at - 1}` }, { $ref: `#/$defs/p${at - 1}` }] },
        ]),
      );
      const doubled = grammarOf({ $ref: "#/$defs/p39" }, $defs);
      expect(doubled.problems.join()).toContain("over and over");
      expect(doubled.text.length).toBeLessThan(10_000);
      const choices = { anyOf: names.slice(0, 30).map((each) => ({ properties: { [each]: {} } })) };
      const product = grammarOf({ type: "object", allOf: [choices, choices, choices] });
      expect(product.problems.join()).toContain("more than 500 alternatives");
      expect(product.text.length).toBeLessThan(2_500_000);
    },
  });
}

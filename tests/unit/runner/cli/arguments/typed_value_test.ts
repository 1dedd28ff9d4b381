import { expect } from "@std/expect";
import { parseOperand } from "../../../../../src/runner/cli/arguments/operand.ts";
import { findArgument, typedValue } from "../../../../../src/runner/cli/arguments/typed_value.ts";

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    flag: { type: "boolean" },
    level: { enum: [1, 2, "all"] },
    size: { enum: [1, 2] },
    fixed: { const: true },
    maybe: { type: ["integer", "null"] },
    either: { anyOf: [{ type: "integer" }, { type: "boolean" }] },
    textOrList: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    tags: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { $ref: "#/$defs/id" } },
    any: {},
    list: { type: "array" },
    object: { type: "object", properties: { inner: { type: "integer" }, deep: { $ref: "#" } } },
    objects: { type: "array", items: { type: "object" } },
    lists: { type: "array", items: { type: "array", items: { type: "string" } } },
    headers: { type: "object", additionalProperties: { type: "integer" } },
    "dotted.name": { type: "integer" },
  },
  $defs: { id: { type: "integer" } },
};

const rows: [key: string, texts: string[], value: unknown][] = [
  ["text", ["1"], "1"],
  ["text", ["{}"], "{}"],
  ["text", [""], ""],
  ["count", ["12"], 12],
  ["count", ["-3"], -3],
  ["count", ["1e2"], 100],
  ["count", ["007"], "007"],
  ["count", ["x"], "x"],
  ["count", [""], ""],
  ["ratio", ["0.5"], 0.5],
  ["flag", ["true"], true],
  ["flag", ["false"], false],
  ["flag", ["yes"], "yes"],
  ["level", ["all"], "all"],
  ["level", ["2"], "2"],
  ["size", ["2"], 2],
  ["fixed", ["true"], true],
  ["maybe", ["null"], null],
  ["maybe", ["4"], 4],
  ["either", ["true"], true],
  ["either", ["5"], 5],
  ["textOrList", ["a"], "a"],
  ["textOrList", ["a", "b"], ["a", "b"]],
  ["tags", ["a"], ["a"]],
  ["tags", ["[1]", "b"], ["[1]", "b"]],
  ["ids", ["1", "2"], [1, 2]],
  ["ids", ["x"], ["x"]],
  ["any", ["1"], "1"],
  ["list", ["1", "2"], ["1", "2"]],
  ["object.inner", ["7"], 7],
  ["object.deep.count", ["8"], 8],
  ["headers.Accept", ["9"], 9],
  ["dotted.name", ["10"], 10],
  ["unknown", ["11"], "11"],
  ["unknown.inner", ["12"], "12"],
];

for (const [key, texts, value] of rows) {
  Deno.test(`typed value > ${key}=${texts.join(` ${key}=`)} is ${JSON.stringify(value)}`, () => {
    const { schema: found } = findArgument(key, schema);
    expect(typedValue(texts, { key, schema: found, root: schema })).toEqual(value);
  });
}

const refused: [key: string, texts: string[], says: string][] = [
  ["text", ["a", "b"], '"text" is given twice'],
  ["any", ["a", "b"], '"any" is given twice'],
  ["unknown", ["a", "b"], '"unknown" is given twice'],
  ["count", ["12345678901234567890"], "has too many digits"],
  ["object", ["a"], "takes an object; write it as JSON: 'object:={…}'"],
  ["objects", ["a"], "takes a list of objects; write it as JSON: 'objects:=[…]'"],
  ["lists", ["a"], "takes a list of lists"],
];

for (const [key, texts, says] of refused) {
  Deno.test(`typed value > ${key}=${texts.join(` ${key}=`)} is refused: ${says}`, () => {
    const { schema: found } = findArgument(key, schema);
    expect(() => typedValue(texts, { key, schema: found, root: schema })).toThrow(says);
  });
}

Deno.test("typed value > a key resolves to its path in the schema", () => {
  expect(findArgument("object.deep.object.inner", schema).path)
    .toEqual(["object", "deep", "object", "inner"]);
  expect(findArgument("headers.X-A.b", schema).path).toEqual(["headers", "X-A.b"]);
  expect(findArgument("unknown.inner", schema).path).toEqual(["unknown.inner"]);
  expect(findArgument("text.inner", schema).path).toEqual(["text.inner"]);
  expect(findArgument("toString", schema)).toEqual({ path: ["toString"] });
});

Deno.test("operand > its first characters and its first sign decide its form", () => {
  const forms: [text: string, form: string, key?: string, value?: string][] = [
    ["a=b", "key_text", "a", "b"],
    ["a==b", "key_text", "a", "=b"],
    ["a=b@=c", "key_text", "a", "b@=c"],
    ["a.b=c", "key_text", "a.b", "c"],
    ["a=", "key_text", "a", ""],
    ["a=line\nline", "key_text", "a", "line\nline"],
    ["-A=1", "key_text", "-A", "1"],
    ["größe=1", "key_text", "größe", "1"],
    ["a:=1", "key_json", "a", "1"],
    ["a@=b", "key_file", "a", "b"],
    ["@a=b", "file"],
    ["-", "stdin"],
    ["@-", "stdin"],
    ["{}", "json"],
    ["\n{}", "json"],
    ["[1]", "positional"],
    ["a", "positional"],
    ["", "positional"],
    ["=a", "positional"],
    ["a b=c", "positional"],
    ["src/a=b", "positional"],
    ["https://example.com/?a=b", "positional"],
  ];
  for (const [text, form, key, value] of forms) {
    const operand = parseOperand(text);
    expect({ text, form: operand.form }).toEqual({ text, form });
    if (key !== undefined) expect(operand).toMatchObject({ key, text: value });
  }
});

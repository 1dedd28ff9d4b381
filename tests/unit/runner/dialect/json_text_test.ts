import { expect } from "@std/expect";
import { growthOf } from "../../../support/measure.ts";
import { repairedJson } from "../../../../src/runner/dialect/json_text.ts";

const repaired: [text: string, value: unknown][] = [
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['  ```\n{"a":"```"}```\n', { a: "```" }],
  ['{"a":1, // one\n/* } */ "b":2}', { a: 1, b: 2 }],
  [`{'a':'it\\'s "so"'}`, { a: 'it\'s "so"' }],
  [`{"a":"it's // no comment, and no } either"}`, { a: "it's // no comment, and no } either" }],
  ['{"a":"one\n\ttwo\r\n"}', { a: "one\n\ttwo\r\n" }],
  ['{"a":[1,2,],}', { a: [1, 2] }],
  ["{a:1,$b:{_c:[]}}", { a: 1, $b: { _c: [] } }],
  ["{'a':True,'b':False,'c':None}", { a: true, b: false, c: null }],
  ['{"a":"True, None"}', { a: "True, None" }],
  ['{"a":"grep \\d x"}', { a: "grep \\d x" }],
  ['{"a":"C:\\Users\\Wei"}', { a: "C:\\Users\\Wei" }],
  ['{"a":"\\unit \\u12 \\u00e9"}', { a: "\\unit \\u12 é" }],
  ['{"a":"\\\\d \\n \\/ \\""}', { a: '\\d \n / "' }],
  ["{'a':'\\d+\\.'}", { a: "\\d+\\." }],
];

for (const [text, value] of repaired) {
  Deno.test(`repair JSON > repairs ${JSON.stringify(text)}`, () => {
    expect(repairedJson(text)).toEqual({
      ...{ value, repairs: [{ path: "", rule: "json_syntax" }] },
    });
  });
}

const refused = [
  // A call that is cut off may lack a part of its arguments.
  ...['{"a":1', '{"a":1, // }', '{"a":1 /* }', '{"a":"half}', '{"a":"half, }', "{'a':'half}"],
  ...['{"a":"f() { return 1; }', '{"a":["x"}', '{"a":{"b":1}', '```json\n{"a":1}', '{"a":1]'],
  ...['{"a":}', '{"a":1,"b":}', '{"a":1, ...}', "[1,2,...]", '{"a": tru}', '{"a":1e}'],
  // A backslash at the end of a line, before the closing quote, and escapes of Python only.
  ...['{"a":"x\\\ny"}', '{"a":"C:\\"}', "{'a':'\\x41'}", "{'a':'\\u12'}", '{"a":"\\'],
  // These have more than one possible meaning.
  ...["{'a':'don't'}", '{"a":"he said "so""}', '{"a":"x, "b": y"}', '{"a":"x" + "y"}', "{a:b}"],
  ...['{"a":1}{"b":2}', '{"a":1}\n{"b":2}', '{"a":1}}', "{None:1}", "[,]"],
  ...['{"a":undefined}', '{"a":NaN}', '{"a":012}', '{"a":"\0"}', "\0{}"],
  ...["", "I would read", 'Here:\n```json\n{"a":1}\n```', "callback({})"],
];

for (const text of refused) {
  Deno.test(`repair JSON > refuses ${JSON.stringify(text)}`, () => {
    expect(repairedJson(text)).toBe(undefined);
  });
}

Deno.test("repair JSON > J2 a hostile string takes linear time", async () => {
  const parts = ["[", "{", '"', "'", "\\", '"b ', "/*", "```", "a ", "{a:", '"\\'];
  const texts: ((length: number) => string)[] = [
    ...parts.map((part) => (length: number) => part.repeat(length / part.length)),
    (length) => `{"a":"${'"b '.repeat(length / 4)}"}`,
  ];
  for (const text of texts) {
    const growth = await growthOf(256 * 1024, (length) => {
      expect(repairedJson(text(length))).toBe(undefined);
    });
    expect([text(3), growth < 50]).toEqual([text(3), true]);
  }
});

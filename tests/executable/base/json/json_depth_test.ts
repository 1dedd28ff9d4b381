/** Nesting is limited before parsing. */
import { expect } from "@std/expect";
import { excessOf, MAX_DEPTH, MAX_VALUES } from "../../../../src/base/json/exact_json.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { Peer } from "../../../support/mcp/peer.ts";

const open = (levels: number) => "[".repeat(levels);
const closed = (levels: number) => `${open(levels)}${"]".repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const texts: [name: string, text: string, isDeep: boolean][] = [
  ["an empty string", "", false],
  ["the greatest depth of arrays", closed(MAX_DEPTH), false],
  ["one array more than the limit", closed(MAX_DEPTH + 1), true],
  ["an unclosed array beyond the limit", open(MAX_DEPTH + 1), true],
  ["the greatest depth of objects", objects(MAX_DEPTH), false],
  ["one object more than the limit", objects(MAX_DEPTH + 1), true],
  ["arrays and objects in turn beyond the limit", '[{"a":'.repeat(MAX_DEPTH), true],
  ["a long list of empty arrays and objects", `[${"[],{},".repeat(MAX_DEPTH)}[]]`, false],
  ["a string of brackets", JSON.stringify(open(10 * MAX_DEPTH)), false],
  ["a string of brackets after an escaped quote", `["\\"${open(10 * MAX_DEPTH)}"]`, false],
  [
    "an unclosed array after a string that ends with a backslash",
    `["\\\\",${open(10 * MAX_DEPTH)}`,
    true,
  ],
  ["a key of brackets", `{"${open(10 * MAX_DEPTH)}":1}`, false],
  ["an unclosed string of brackets", `"${open(10 * MAX_DEPTH)}`, false],
  ["a string of backslashes", JSON.stringify("\\".repeat(10 * MAX_DEPTH)) + open(1), false],
];

for (const [name, text, isDeep] of texts) {
  Deno.test(`json depth > ${name} ${isDeep ? "is nested too deep" : "is accepted"}`, () => {
    expect(excessOf(text)).toBe(isDeep ? `is nested deeper than ${MAX_DEPTH} levels` : undefined);
  });
}

const many = (values: number) => `[${"1,".repeat(values - 2)}1]`;
const lists: [name: string, text: string, isMany: boolean][] = [
  ["the greatest number of values", many(MAX_VALUES), false],
  ["one value more than the limit", many(MAX_VALUES + 1), true],
  ["a long list of objects", `[${"{},".repeat(MAX_VALUES / 2)}{}]`, true],
  ["an object of too many keys", `{${'"k":1,'.repeat(MAX_VALUES)}"k":1}`, true],
  ["a string of commas", JSON.stringify(",".repeat(2 * MAX_VALUES)), false],
];

for (const [name, text, isMany] of lists) {
  Deno.test(`json depth > ${name} ${isMany ? "has too many values" : "is accepted"}`, () => {
    expect(excessOf(text)).toBe(isMany ? `contains more than ${MAX_VALUES} values` : undefined);
  });
}

Deno.test("json depth > arguments of the greatest accepted depth reach the tool, in a call and over MCP", async () => {
  const levels = MAX_DEPTH - 2;
  const stdin = `{"name":"fs.list","arguments":{"path":${closed(levels)}}}`;
  expect((await toolcall(["-A"], { stdin })).code).toBe(5);
  using directory = temporaryDirectory();
  await using peer = Peer.start(["-A", `--state-dir=${directory.path}`]);
  await peer.initialize();
  const answer = peer.answer("deep");
  const params = `{"name":"fs.list","arguments":{"path":${closed(levels - 1)}}}`;
  await peer.write(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":${params}}\n`);
  expect((await answer).result.isError).toBe(true);
});

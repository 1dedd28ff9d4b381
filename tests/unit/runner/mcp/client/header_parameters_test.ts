import { expect } from "@std/expect";
import { headerFault } from "../../../../../src/runner/mcp/client/header_parameters.ts";
import { parseTools } from "../../../../../src/runner/mcp/client/listed_tool.ts";

/** A schema with these arguments. */
const schema = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
/** An argument that the server also wants as a header field. */
const region = { type: "string", "x-mcp-header": "Region" };

Deno.test("x-mcp-header > each use needs an argument, a type that fits in a header, and a unique name", () => {
  const rows: [what: Record<string, unknown>, fault: RegExp | undefined][] = [
    [schema({}), undefined],
    [schema({ region }), undefined],
    [schema({ region, count: { type: "integer", "x-mcp-header": "Count" } }), undefined],
    [schema({ place: { type: "object", properties: { region } } }), undefined],
    [schema({ "x-mcp-header": { type: "string" } }), undefined],
    [schema({ region: { type: "string", default: { "x-mcp-header": "" } } }), undefined],
    [schema({}, { "x-mcp-header": "Root" }), /is not at an argument/],
    [schema({ list: { type: "array", items: region } }), /is not at an argument/],
    [schema({ list: { items: { properties: { region } } } }), /is not at an argument/],
    [schema({}, { $defs: { region } }), /is not at an argument/],
    [schema({}, { anyOf: [{ properties: { region } }] }), /is not at an argument/],
    [schema({ region: { type: "string", "x-mcp-header": "" } }), /is no name of a header/],
    [schema({ region: { type: "string", "x-mcp-header": 7 } }), /is no name of a header/],
    [schema({ region: { type: "string", "x-mcp-header": "a b" } }), /is no name of a header/],
    [schema({ region: { type: "string", "x-mcp-header": "a\r\nb: c" } }), /is no name of a header/],
    [schema({ region: { type: "number", "x-mcp-header": "N" } }), /is not at a string, an integer/],
    [schema({ region: { type: ["string"], "x-mcp-header": "N" } }), /is not at a string/],
    [schema({ region: { "x-mcp-header": "N" } }), /is not at a string/],
    [schema({ a: region, b: { type: "string", "x-mcp-header": "region" } }), /is there twice/],
  ];
  for (const [given, fault] of rows) {
    if (fault === undefined) expect([given, headerFault(given)]).toEqual([given, undefined]);
    else expect(headerFault(given)).toMatch(fault);
  }
});

Deno.test("x-mcp-header > a tool with a fault is omitted and reported if calls have header fields", () => {
  const items = [
    { name: "good", description: "Is right.", inputSchema: schema({ region }) },
    {
      name: "bad",
      description: "Has a fault.",
      inputSchema: schema({ region: { ...region, "x-mcp-header": "a b" } }),
    },
  ];
  const of = { server: "it", redact: (text: string) => text };
  const names = (list: ReturnType<typeof parseTools>) => list.tools.map(({ tool }) => tool);
  const overHttp = parseTools(items, { ...of, takesHeaders: true });
  expect(names(overHttp)).toEqual(["good"]);
  expect(overHttp.problems).toEqual([
    'the tool "bad" is omitted: x-mcp-header "a b" is no name of a header',
  ]);
  const overStdio = parseTools(items, { ...of, takesHeaders: false });
  expect([names(overStdio), overStdio.problems]).toEqual([["good", "bad"], []]);
});

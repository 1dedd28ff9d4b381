/** A grammar, as this project's matcher reads it, admits the values that fit the schema. */
import { expect } from "@std/expect";
import { callGrammar } from "../../../../src/base/gbnf/grammar.ts";
import { testGrammars } from "./grammar_cases.ts";
import { admitting } from "../../toolkit/gbnf_matcher/reading.ts";

testGrammars(admitting, { ignore: false });

Deno.test("grammar > a tool that no arguments fit has a grammar without calls, and that is reported", () => {
  const inputSchema = { type: "object", properties: { a: false }, required: ["a"] };
  expect(callGrammar([{ name: "T", inputSchema }])).toEqual({
    text: "root ::= [^\\x00-\\U0010FFFF]\n",
    problems: ['"T": no arguments match its schema'],
  });
});

Deno.test("grammar > a value that is nested deeper than the stack allows is reported", () => {
  let deep: unknown = {};
  for (let level = 0; level < 20_000; level++) deep = { a: deep };
  const inputSchema = { type: "object", properties: { a: { const: deep } } };
  const { problems } = callGrammar([{ name: "T", inputSchema }]);
  expect(problems.length).toBe(1);
  expect(problems[0]).toContain("deeper nested values");
});

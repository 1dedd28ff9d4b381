import { expect } from "@std/expect";
import {
  expand,
  expandArguments,
  parseTemplate,
} from "../../../../src/runner/command_tools/template.ts";

Deno.test("template > literal text, values, switches and braces are parsed", () => {
  expect(parseTemplate("a{b}c{d?-e}{{f}}")).toEqual([
    { text: "a" },
    { name: "b" },
    { text: "c" },
    { name: "d", then: "-e" },
    { text: "{f}" },
  ]);
  for (const wrong of ["{", "}", "{a", "{a b}", "{1}", "{}"]) {
    expect(() => parseTemplate(wrong)).toThrow("brace without a name");
  }
});

Deno.test("template > values replace their placeholders", () => {
  const args = { text: "x", list: ["a", 1, { b: 2 }], no: null, yes: true };
  const table: [string, string[]][] = [
    ["{text}", ["x"]],
    ["a={text}{text}", ["a=xx"]],
    ["{list}", ["a", "1", '{"b":2}']],
    ["l={list}", ['l=["a",1,{"b":2}]']],
    ["{no}", []],
    ["a{missing}", []],
    ["{constructor}", []],
    ["{yes?--yes}", ["--yes"]],
    ["{text?--no}", []],
    ["{yes}", ["true"]],
  ];
  for (const [template, texts] of table) expect(expand(template, args)).toEqual(texts);
});

Deno.test("template > a value that begins with a dash is refused unless that is allowed", () => {
  const args = { v: "-x", w: "", list: ["a", "-b"] };
  const none = new Set<string>();
  for (const template of ["{v}", "{w}{v}", "{list}"]) {
    expect(() => expandArguments([template], args, none)).toThrow('must not begin with "-"');
    expect(expandArguments(["--", template], args, none)[0]).toBe("--");
  }
  expect(expandArguments(["--a={v}", "b{v}"], args, none)).toEqual(["--a=-x", "b-x"]);
  expect(expandArguments(["{v}"], args, new Set(["v"]))).toEqual(["-x"]);
});

Deno.test("template > a value that no program can take is refused", () => {
  expect(() => expandArguments(["{v}"], { v: "a\0" }, new Set())).toThrow("NUL");
  expect(() => expandArguments(["{v}"], { v: "é".repeat(65_536) }, new Set())).toThrow("longer");
});

import { expect } from "@std/expect";
import { resolveRef } from "../../../../src/base/json/schema_ref.ts";

const root = { a: { "b/c": 1, "~1": 2, "50%": 3 }, list: [4], "": { "": 5 } };

Deno.test("JSON pointer > each reference resolves to its value", () => {
  const cases: [reference: string, value: unknown][] = [
    ["#", root],
    ["#/a/b~1c", 1],
    ["#/a/b%7E1c", 1],
    ["#/a/b%2Fc", 1],
    ["#/a/~01", 2],
    ["#/a/50%25", 3],
    ["#/a/50%", 3],
    ["#/list/0", 4],
    ["#//", 5],
    ["#/list/length/x", undefined],
    ["#/constructor", undefined],
    ["#a", undefined],
    ["other.json#/a", undefined],
  ];
  for (const [reference, value] of cases) {
    expect({ reference, value: resolveRef(root, reference) }).toEqual({ reference, value });
  }
});

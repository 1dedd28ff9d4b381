import { expect } from "@std/expect";
import { unitsOf } from "../../../support/measure.ts";
import { namesTool } from "../../../../src/runner/registry/name_pattern.ts";

const cases: [pattern: string, name: string, names: boolean][] = [
  ["Read", "Read", true],
  ["Other", "Read", true],
  ["read", "Read", false],
  ["*", "", true],
  ["**", "Read", true],
  ["R*", "Read", true],
  ["*d", "Read", true],
  ["R*d", "Read", true],
  ["R*ea*d", "Read", true],
  ["R*a*e*d", "Read", false],
  ["Re*ead", "Read", false],
  ["Read*Read", "Read", false],
  ["*ea", "Read", false],
  ["*aba*", "ababa", true],
  ["aba*aba", "ababa", false],
  ["O*", "Read", false],
  ["R.*", "Read", false],
  ["a.b*", "a.b\nc", true],
];

for (const [pattern, name, names] of cases) {
  Deno.test(`a tool's name pattern > ${pattern} ${names ? "names" : "does not name"} ${JSON.stringify(name)}`, () => {
    expect(namesTool(pattern, { name, aliases: ["Other"] })).toBe(names);
  });
}

Deno.test("a tool's name pattern > many stars do not make the match slow", async () => {
  const name = "mcp__files__read_many_files_of_a_folder";
  const patterns = [`${"*".repeat(100_000)}!`, `${"*_".repeat(5)}${"*".repeat(40)}!*`];
  for (const pattern of patterns) {
    const units = await unitsOf(() => {
      expect(namesTool(pattern, { name, aliases: [] })).toBe(false);
    });
    expect(units).toBeLessThan(20);
  }
});

/** The lint rule that refuses look-ups that find inherited names. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import plugin from "../../../../scripts/lint/own_keys.ts";

const program = fileURLToPath(new URL("../../../../src/a.ts", import.meta.url));

const faults = (source: string, path = program) => Deno.lint.runPlugin(plugin, path, source).length;

Deno.test("lint > a foreign key meets own properties only", () => {
  const table = "const T: Readonly<Record<string, number>> = { a: 1 };\n";
  const rows: [source: string, faults: number][] = [
    ["const is = key in schema;", 1],
    ['const is = "properties" in schema;', 0],
    [`${table}const value = T[key];`, 1],
    [`${table}const value = T["a"];`, 0],
    [`${table}const value = Object.hasOwn(T, key) ? T[key] : 0;`, 0],
    ["const T: { readonly [code: string]: number } = { a: 1 };\nconst value = T[key];", 1],
    ['const T: Record<"a" | "b", number> = { a: 1, b: 2 };\nconst value = T[key];', 0],
    ["const T = lookupTable<number>({ a: 1 });\nconst value = T[key];", 0],
    ["for (const key in schema) use(key);", 0],
  ];
  for (const [source, count] of rows) expect([source, faults(source)]).toEqual([source, count]);
});

Deno.test("lint > only the program has foreign keys", () => {
  const script = fileURLToPath(new URL("../../../../scripts/a.ts", import.meta.url));
  expect(faults("const is = key in schema;", script)).toBe(0);
});

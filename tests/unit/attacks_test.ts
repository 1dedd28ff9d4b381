/** docs/attacks.md has a row for each attack, with the tests that try it. */
import { expect } from "@std/expect";
import { filesBelow } from "../../scripts/files_below.ts";

const root = new URL("../../", import.meta.url);
const textOf = (path: string) => Deno.readTextFileSync(new URL(path, root));

/** The tests of each attack, by the page. */
const rows = new Map(
  [...textOf("docs/attacks.md").matchAll(/^\| ([A-Z]\d+) +\|[^|]+\| ([^|]+?) +\|$/gm)]
    .map(([, id, tests]) => [id!, tests!.split(", ")]),
);

/** The ids in the names of tests and steps. */
function idsIn(text: string): string[] {
  const names = [...text.matchAll(/"[^"\n]*"/g)].map(([name]) => name)
    .filter((name) => /(> |^")(?:[CJLNPS]\d{1,2} )+/.test(name));
  return names.flatMap((name) => name.match(/\b[CJLNPS]\d{1,2}\b/g) ?? []);
}

Deno.test("documentation > each attack that a test names has a row in attacks.md", () => {
  const named = filesBelow("tests").filter((path) => path.endsWith(".ts"))
    .flatMap((path) => idsIn(textOf(path)).map((id) => ({ id, path })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ id }) => !rows.has(id))).toEqual([]);
});

Deno.test("documentation > each test that attacks.md names tries that attack", () => {
  expect(rows.size).toBeGreaterThan(40);
  const without = [...rows].flatMap(([id, tests]) =>
    tests.filter((path) => !new RegExp(`\\b${id}\\b`).test(textOf(`tests/${path}`)))
      .map((path) => ({ id, path }))
  );
  expect(without).toEqual([]);
});

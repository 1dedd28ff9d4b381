/** Globs that match nothing because a name has brackets or braces. */
import { expect } from "@std/expect";
import { scratchDirectory } from "../../../support/scratch_directory.ts";
import { contextFor } from "../../../support/tool_context.ts";
import Glob from "../../../../tools/glob.ts";
import Grep from "../../../../tools/grep.ts";

const NAMES = ["[a b]", "[id]", "[...slug]", "[[...all]]", "{b,c}", "(group)", "plain"];

function grep(root: string, glob: string, options?: Parameters<typeof contextFor>[1]) {
  const mode = { output_mode: "files_with_matches", "-n": true, "-i": false, "-o": false } as const;
  const args = { ...mode, pattern: "needle", multiline: false, head_limit: 250, offset: 0, glob };
  return Grep.run(args, contextFor(root, options));
}

Deno.test("literal names > the hint has a glob that finds the name with brackets or braces", async (t) => {
  using directory = scratchDirectory();
  const root = directory.path;
  for (const name of NAMES) {
    Deno.mkdirSync(`${root}/app/${name}`, { recursive: true });
    Deno.writeTextFileSync(`${root}/app/${name}/[x].tsx`, "needle\n");
  }
  const rows: [pattern: string, found: string][] = [
    ["app/[id]/[x].tsx", "app/[id]/[x].tsx"],
    ["app/[id]/*.tsx", "app/[id]/[x].tsx"],
    ["app/[...slug]/*", "app/[...slug]/[x].tsx"],
    ["app/[[...all]]/**", "app/[[...all]]/[x].tsx"],
    ["app/{b,c}/*", "app/{b,c}/[x].tsx"],
    ["app/[a b]/*", "app/[a b]/[x].tsx"],
    ["app/plain/[x].tsx", "app/plain/[x].tsx"],
    ["**/[id]/*.tsx", "app/[id]/[x].tsx"],
  ];
  for (const [pattern, found] of rows) {
    await t.step(pattern, async () => {
      const listed = (pattern: string) => Glob.run({ pattern }, contextFor(root));
      for (const search of [listed, (glob: string) => grep(root, glob)]) {
        const said = String(await search(pattern));
        expect(said).toMatch(/^No (files )?match/);
        const hint = /; for the name itself use "([^"]*)"/.exec(said)?.[1];
        expect(String(await search(hint!))).toMatch(new RegExp(`${RegExp.escape(found)}$`));
      }
    });
  }
});

Deno.test("literal names > parentheses match themselves, and no hint names a path that may not be read", async () => {
  using directory = scratchDirectory();
  const root = directory.path;
  Deno.mkdirSync(`${root}/[x]`);
  Deno.mkdirSync(`${root}/(group)`);
  Deno.writeTextFileSync(`${root}/(group)/a.ts`, "needle\n");
  expect(String(await grep(root, "(group)/*.ts"))).toBe("(group)/a.ts");
  const closed = { mayRead: (path: string) => !path.endsWith("]") };
  for (const pattern of ["[x]/*", "*.[ch]", "[!a]x"]) {
    expect(String(await Glob.run({ pattern }, contextFor(root, closed)))).not.toContain(
      "wildcards",
    );
    expect(String(await grep(root, pattern, closed))).not.toContain("wildcards");
  }
  expect(String(await grep(root, "[x]/*"))).toContain('"[x]" exists');
});

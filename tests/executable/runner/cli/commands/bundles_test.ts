/** `toolcall bundles`. */
import { expect } from "@std/expect";
import { oneLine, temporaryDirectory, toolcall } from "../../../../support/executable.ts";

Deno.test("bundles > the list has built-in and configured bundles, with their required and optional tools and their size", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const bundles = { mine: { required: ["Read"], optional: ["fs.*"] } };
  Deno.writeTextFileSync(`${path}/toolcall.json`, JSON.stringify({ bundles }));
  const run = await toolcall(["bundles", "--format=json"], { cwd: path });
  const found = oneLine(run) as Record<string, unknown>[];
  expect(found.map(({ name }) => name)).toEqual([
    ...["code_agent", "blog_agent", "read_only", "all", "compat", "mine"],
  ]);
  const mine = found.at(-1)!;
  expect(mine).toMatchObject({
    origin: "configuration",
    tools: ["Read", "fs.list", "fs.read", "fs.write"],
    required: ["Read"],
    optional: ["fs.list", "fs.read", "fs.write"],
  });
  const { stdout } = await toolcall(["list", "--format=mcp", "--bundle=mine"], { cwd: path });
  // A model does not see the icons.
  const tools = JSON.parse(stdout).tools.map(({ icons: _, ...tool }: { icons?: unknown }) => tool);
  expect(mine["characters"]).toBe(JSON.stringify(tools).length);
  expect(mine["tokens"]).toBe(Math.ceil(Number(mine["characters"]) / 4));
  const text = await toolcall(["bundles"], { cwd: path });
  expect(text.stdout).toMatch(
    /^BUNDLE +TOOLS +TOKENS +NAMES\ncode_agent +8 +~\d+ +code_edit, [^;]*search; optional: Bash, WebSearch, test\n/,
  );
});

/** The README's commands work, and its statements about the program are true. */
import { expect } from "@std/expect";
import { flags } from "../../src/runner/cli/flags.ts";
import { exitCodes } from "../../src/runner/call/failure.ts";
import { settings } from "../../src/runner/registry/setting_definitions.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import { blocks, readme, root, run } from "./readme.ts";

Deno.test("README > it is short, and its first block has the two commands", () => {
  const lines = readme.split("\n");
  expect(lines.length).toBeLessThanOrEqual(300);
  // The first screen has the commands, and the first calls.
  expect(lines.slice(0, 40).join("\n")).toContain("npx -y deno@2.9.6 task test");
  expect(blocks("sh")[0]?.trim().split("\n")).toEqual([
    `npx -y deno@2.9.6 task -q build && echo '{"name":"Glob","arguments":{"pattern":"*.md"}}' | ./dist/toolcall --allow-read=.`,
    "npx -y deno@2.9.6 task test",
  ]);
  // CI takes the two commands from this page.
  expect(Deno.readTextFileSync(`${root}.ci/run`)).toContain("README.md");
});

Deno.test("README > the call in its first command prints one short line", async () => {
  const [first] = blocks("sh")[0]!.split("\n");
  const { stdout, code } = await new Deno.Command("sh", {
    args: ["-c", first!.split("&&")[1]!],
    cwd: root,
  }).output();
  expect(code).toBe(0);
  const line = new TextDecoder().decode(stdout);
  expect(line.length).toBeLessThan(1_000);
  expect(JSON.parse(line).content[0].text).toContain(`${root}README.md`);
});

Deno.test("README > it names every exit code, error code and permission flag", () => {
  for (const [code, exit] of Object.entries(exitCodes)) {
    expect(readme).toContain(`\`${code}\``);
    expect(readme).toMatch(new RegExp(`\\| ${exit} +\\|`));
  }
  for (const { name, permission } of flags) {
    if (permission?.effect === "allow") expect(readme).toContain(`--${name}`);
  }
});

Deno.test("README > the js example prints the file", async () => {
  const [code] = blocks("js");
  expect(code).toBeDefined();
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/example.mjs`, code!);
  expect(await run(["sh"], `exec node "${directory.path}/example.mjs"`)).toContain("# toolcall");
});

Deno.test("README > the registry accepts its example tool", async () => {
  const [code] = blocks("ts");
  const { checkTool } = await import("../../scripts/check_tool.ts");
  using directory = temporaryDirectory();
  const path = `${directory.path}/word_count.ts`;
  const define = new URL("../../src/runner/registry/define.ts", import.meta.url).href;
  Deno.writeTextFileSync(path, code!.replace("../src/runner/registry/define.ts", define));
  expect(checkTool("word_count", await import(path))).toEqual([]);
});

Deno.test("docs/setup.md > its commands work, and it names every setting", async () => {
  const text = Deno.readTextFileSync(`${root}docs/setup.md`);
  const lines = [...text.matchAll(/^toolcall -A .*$/gm)].map(([line]) => line);
  expect(lines.length).toBeGreaterThan(4);
  const script = `set -e\nexport XDG_STATE_HOME=$PWD/state\n${lines.join("\n")}\n` +
    `toolcall Config '{"setting":"*"}'`;
  const printed = (await run(["sh"], script)).trim().split("\n").map((line) => JSON.parse(line));
  expect(printed.filter(({ isError }) => isError)).toEqual([]);
  const { text: all } = printed.at(-1).content[0];
  expect(all).toContain('model.endpoint is "https://api.anthropic.com"');
  expect(all).toContain('search.provider is "searxng"');
  for (const { name } of settings) expect(text).toContain(name);
});

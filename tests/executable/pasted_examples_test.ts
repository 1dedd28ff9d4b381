/**
 * The tools that README.md and docs/tools.md show, pasted into a copy of the checkout: the copy
 * still passes its checks and tests. `deno task test:full` runs all tests of the copy, otherwise
 * only the unit tests that read the catalog.
 */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { copyToWrite } from "../support/example_world.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const OWN = "tests/executable/pasted_examples_test.ts";
const PARTS = [
  ...[
    "deno.json",
    "deno.lock",
    "main.ts",
    "worker.ts",
    "library_worker.ts",
    "toolcall.schema.json",
  ],
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"],
  ...["src", "tools", "tests", "scripts", "docs", "links", ".ci"],
];

/** The TypeScript blocks of a page that define a tool. */
function examplesIn(page: string): string[] {
  const text = Deno.readTextFileSync(`${root}${page}`);
  return [...text.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code!)
    .filter((code) => code.includes("export default"))
    // A tool of the tools directory imports the program's own module instead of its files.
    .map((code) =>
      code.replace(
        'import { simpleTool } from "toolcall"',
        'import { simpleTool } from "../src/runner/registry/simple_tool.ts"',
      )
    );
}

/** The name of the file that a tool belongs in. */
function fileName(code: string): string {
  const [, name] = /(?:defineTool\(\{\s*name:|simpleTool\()\s*"(\w+)"/.exec(code) ?? [];
  return `${name!.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}.ts`;
}

/** The unit tests that read the catalog, or all tests except this one. */
function filesToTest(copy: string): string[] {
  const files = testsBelow(copy, "tests").filter((file) => file !== OWN);
  if (Deno.env.get("FULL_TESTS") === "1") return files;
  return files.filter((file) =>
    file.startsWith("tests/unit/") &&
    /"(\.\.\/)+tools\/_generated\/index\.ts"/.test(Deno.readTextFileSync(`${copy}/${file}`))
  );
}

function testsBelow(copy: string, directory: string): string[] {
  return [...Deno.readDirSync(`${copy}/${directory}`)].flatMap(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    if (isDirectory) return testsBelow(copy, path);
    return name.endsWith("_test.ts") ? [path] : [];
  });
}

Deno.test("documentation > its example tools, pasted into a clone, pass the checks and tests", async () => {
  using directory = temporaryDirectory();
  const copy = directory.path;
  for (const part of PARTS) copyToWrite(`${root}${part}`, `${copy}/${part}`);
  const examples = ["README.md", "docs/tools.md"].flatMap(examplesIn);
  expect(examples.length).toBeGreaterThanOrEqual(2);
  for (const code of examples) Deno.writeTextFileSync(`${copy}/tools/${fileName(code)}`, code);
  const deno = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: copy,
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const printed = `${decoder.decode(stdout)}${decoder.decode(stderr)}`;
    if (code !== 0) throw new Error(`deno ${args.join(" ")} failed:\n${printed}`);
    return printed;
  };
  await deno("task", "generate");
  await deno("fmt", "--check", "tools");
  await deno("lint", "--quiet", "tools");
  await deno("check", "--quiet", "main.ts", "tools");
  const printed = await deno("task", "test", ...filesToTest(copy));
  expect(printed).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/m);
});

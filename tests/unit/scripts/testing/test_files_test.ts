/** Each test file has a tier, which it names itself. */
import { expect } from "@std/expect";
import { needsBuild, testFiles, tierOf } from "../../../../scripts/testing/test_files.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

Deno.test("tiers > a line in the file names its tier, and the first tier needs none", () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/a_test.ts`;
  const rows: [text: string, tier: string][] = [
    ['/** A test. */\nimport "./a.ts";\n', "first"],
    ['/** A test. */\n// tier: machine\nimport "./a.ts";\n', "machine"],
    ['/** The line "// tier: machine" is meant. */\n', "first"],
  ];
  for (const [text, tier] of rows) {
    Deno.writeTextFileSync(path, text);
    expect([text, tierOf(path)]).toEqual([text, tier]);
  }
  Deno.writeTextFileSync(path, "// tier: later\n");
  expect(() => tierOf(path)).toThrow('unknown tier "later"; the only one to name is "machine"');
});

Deno.test("tiers > attacks, and tests that start servers or browsers, are in the tier machine", () => {
  const uses =
    /"[./]*(?:support\/(?:ui_page|nats_server|nats_cluster|packages|base_system)|world)\.ts"/;
  const wrong = testFiles(["tests"]).filter((file) => {
    const text = Deno.readTextFileSync(new URL(`../../../../${file}`, import.meta.url));
    return tierOf(file) === "first" && uses.test(text);
  });
  expect(wrong).toEqual([]);
});

Deno.test("build > only tests outside of tests/unit and src can need the executable", () => {
  const files: [file: string, needs: boolean][] = [
    ["tests/unit/tools/read_test.ts", false],
    ["src", false],
    ["src/base/text", false],
    ["tests/executable/tools/tasks_test.ts", true],
    ["tests/sandbox/attacks/paths_test.ts", true],
    ["tests/mcp/server/http_test.ts", true],
  ];
  for (const [file, needs] of files) expect([file, needsBuild(file)]).toEqual([file, needs]);
});

/** The kinds of executables that a build makes (finding A3). */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { BuildUsageError, readBuildSettings } from "../../../scripts/build_settings.ts";
import denoJson from "../../../deno.json" with { type: "json" };

const root = fileURLToPath(new URL("../../../", import.meta.url));

Deno.test("build > it makes the self-extracting executable, except with --compile", () => {
  const rows: [args: string[], os: "linux" | "darwin" | "windows", format: string, why: RegExp][] =
    [
      [[], "linux", "self-extracting", /the default; --compile makes/],
      [["--output=x"], "darwin", "self-extracting", /the default/],
      [["--compile"], "linux", "compile", /--compile asks for it/],
      [["--compile", "--target=aarch64-apple-darwin"], "linux", "compile", /--compile/],
      [[], "windows", "compile", /Windows cannot run/],
    ];
  for (const [args, os, format, why] of rows) {
    const settings = readBuildSettings(args, os);
    expect({ args, os, format: settings?.format }).toEqual({ args, os, format });
    expect(settings?.reason).toMatch(why);
  }
  expect(readBuildSettings(["--help"])).toBeUndefined();
});

Deno.test("build > an invalid command line is refused", () => {
  const rows: [args: string[], message: string][] = [
    [["--format=compile"], 'Unknown argument "--format=compile"'],
    [["--nonsense"], 'Unknown argument "--nonsense"'],
    [["--output="], '"--output" needs a value'],
    [["somewhere"], 'Unknown argument "somewhere"'],
    [["--target=aarch64-apple-darwin"], "use --compile"],
  ];
  for (const [args, message] of rows) {
    expect(() => readBuildSettings(args, "linux")).toThrow(message);
    expect(() => readBuildSettings(args, "linux")).toThrow(BuildUsageError);
  }
});

Deno.test("build > the task test:compile runs every test file of an executable of deno compile", () => {
  const directory = "tests/executable/scripts/";
  const files = [...Deno.readDirSync(`${root}${directory}`)].map(({ name }) => directory + name)
    .filter((path) =>
      /^\/\*\* .*executable of `deno compile`/.test(Deno.readTextFileSync(root + path))
    );
  expect(files.length).toBeGreaterThanOrEqual(2);
  const { command } = denoJson.tasks["test:compile"];
  for (const path of files) expect(command).toContain(path);
});

/** A missing or stale `dist/toolcall` is reported, with the command that builds it. */
import { expect } from "@std/expect";
import { buildFault } from "../../../scripts/build_fault.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

/** A checkout whose sources all have the same age; `set` gives a file its age in seconds. */
function checkout(): { path: string; set(file: string, seconds: number): void } & Disposable {
  const directory = temporaryDirectory();
  const set = (file: string, seconds: number) => {
    const path = `${directory.path}/${file}`;
    Deno.mkdirSync(path.replace(/\/[^/]+$/, ""), { recursive: true });
    Deno.writeTextFileSync(path, "");
    Deno.utimeSync(path, 1_000_000 - seconds, 1_000_000 - seconds);
  };
  for (const file of ["main.ts", "deno.json", "src/base/version.ts", "tools/read.ts"]) {
    set(file, 60);
  }
  return { path: directory.path, set, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

Deno.test("build > a missing executable is reported, with the command that builds it", () => {
  using it = checkout();
  expect(buildFault(it.path)).toBe('dist/toolcall is missing. Build it: "deno task build"');
});

Deno.test("build > an executable that is newer than every source is up to date", () => {
  using it = checkout();
  it.set("dist/toolcall", 30);
  it.set("tests/unit/some_test.ts", 0);
  it.set("docs/tools.md", 0);
  expect(buildFault(it.path)).toBeUndefined();
});

for (
  const file of ["main.ts", "deno.json", "src/base/version.ts", "tools/new.ts", "scripts/a/b.ts"]
) {
  Deno.test(`build > an executable that is older than ${file} is stale`, () => {
    using it = checkout();
    it.set("dist/toolcall", 30);
    it.set(file, 10);
    expect(buildFault(it.path))
      .toBe(`dist/toolcall is older than ${file}. Build it again: "deno task build"`);
  });
}

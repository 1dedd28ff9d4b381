/** The lint rule that lets one module do what must be done with care. */
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import plugin from "../../../../scripts/lint/one_place.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

Deno.test("lint > a careful call is reported outside of its module, in the program only", () => {
  const text = 'export const home = Deno.env.get("HOME");\n';
  const rows: [path: string, count: number][] = [
    ["src/runner/cli/main.ts", 1],
    ["tools/read.ts", 1],
    ["main.ts", 1],
    ["src/base/environment.ts", 0],
    ["tests/unit/a_test.ts", 0],
    ["scripts/build.ts", 0],
  ];
  for (const [path, count] of rows) {
    const found = Deno.lint.runPlugin(plugin, `${root}${path}`, text);
    expect([path, found.length]).toEqual([path, count]);
  }
});

Deno.test("lint > only a frame writes to a terminal without an escape of control characters", () => {
  const rows: [text: string, path: string, count: number][] = [
    ["await drawRaw(screen, text);", "src/runner/cli/main.ts", 1],
    ["await drawRaw(screen, text);", "src/runner/ask/view.ts", 0],
    ["await show(screen, text);", "src/runner/cli/main.ts", 0],
    ["Deno.stdout.writeSync(bytes);", "src/runner/cli/main.ts", 1],
    ["process.stderr.write(bytes);", "tools/read.ts", 1],
    ["await writeAll(process.stderr, text);", "src/runner/cli/main.ts", 0],
  ];
  for (const [text, path, count] of rows) {
    const found = Deno.lint.runPlugin(plugin, `${root}${path}`, `${text}\n`);
    expect([text, path, found.length]).toEqual([text, path, count]);
  }
});

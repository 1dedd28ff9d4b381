// deno-lint-ignore-file tests/no-waiting-for-time -- the strings below are examples of such waits
/** The lint rule that refuses waits for a time in tests. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import plugin from "../../../../scripts/lint/waits.ts";

const tests = fileURLToPath(new URL("../../../../tests/", import.meta.url));

const faults = (source: string, path = `${tests}unit/a_test.ts`) =>
  Deno.lint.runPlugin(plugin, path, source).length;

Deno.test("lint > a test may not wait for a time", () => {
  const rows: [source: string, faults: number][] = [
    ["await delay(100);", 1],
    ["await time.delay(100);", 1],
    ["setTimeout(stop, 50);", 1],
    ["globalThis.setTimeout(stop, 50);", 1],
    ["await sleep(5);", 1],
    ['run("sleep 1; echo a");', 1],
    ["run(`sleep 0.5; echo ${a}`);", 1],
    ["await pause(100);", 1],
    ['await pause(100, "slow");', 1],
    ['await pause(100, "the server of this test is slow");', 0],
    ["await until(() => isThere(path));", 0],
    ['run("sleep 600");', 0],
    ['run("until [ -e go ]; do sleep 0.05; done; echo a");', 0],
    ['run("sleep 1; echo a"); // time: the rate limit has a window of a second', 0],
    ['run("sleep 1; echo a"); // time: slow', 1],
  ];
  for (const [source, count] of rows) expect([source, faults(source)]).toEqual([source, count]);
});

Deno.test("lint > only tests are checked, and the module that waits for them is not", () => {
  const source = "setTimeout(stop, 50);";
  expect(faults(source, `${tests}support/wait.ts`)).toBe(0);
  expect(faults(source, fileURLToPath(new URL("../src/base/a.ts", `file://${tests}`)))).toBe(0);
  expect(faults(source, `${tests}support/other.ts`)).toBe(1);
});

/** The test runner is never silent for long. */
// tier: machine
import { expect } from "@std/expect";
import { root, runTests } from "./run_program.ts";

Deno.test("test runner > a pause of a file is filled with lines that say how far the run is", async () => {
  const wait = 'import { pause } from "' + new URL("tests/support/wait.ts", root).href + '";\n';
  const plain = await runTests({
    "slow_test.ts": `${wait}Deno.test("a", () => pause(20_000, "the runner prints in between"));`,
  }, { isFull: false });
  expect(plain).toMatch(/^… 0 of 1 after \d+ s · slow \d+ s$/m);
});

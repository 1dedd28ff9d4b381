/** Calls of a hundred megabytes, and with a million arguments. */
// tier: machine
import { expect } from "@std/expect";
import { oneLine, toolcall } from "../../../support/executable.ts";

const readArguments = (json: string) => `{"name":"fs.read","arguments":${json}}`;

Deno.test("call > J1 an input of 100 MB is refused", async () => {
  const run = await toolcall(["-A"], { stdin: new Uint8Array(100 * 1024 * 1024).fill(0x20) });
  expect(run.code).toBe(3);
  expect(oneLine(run)).toHaveProperty("isError", true);
});

Deno.test("call > a million unknown keys get a short answer", async () => {
  const keys = Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(",");
  const run = await toolcall(["-A"], { stdin: readArguments(`{${keys}}`) });
  expect(run.code).toBe(5);
  expect(run.stdout.length).toBeLessThan(30_000);
  expect(run.stdout).toContain("and 999901 more problems");
});

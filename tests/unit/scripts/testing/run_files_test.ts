/** The test runner of this project: what it prints, and that a failure is a failure. */
import { expect } from "@std/expect";
import { deno, runTests } from "./run_program.ts";

Deno.test("test runner > --help prints help, and a wrong word is an error before the build", async () => {
  const help = await deno("scripts/test.ts", "--help");
  expect(help.code).toBe(0);
  expect(help.text).toContain("deno task test tests/unit/tools");
  const rows: [args: string[], says: string][] = [
    [["--verbose"], 'Unknown flag "--verbose"'],
    [["--tier=second"], 'Unknown tier "second"'],
    [["--minutes=soon"], "--minutes=soon: expected a number above 0"],
    [["--changed=no-such-revision"], "no-such-revision"],
    [["tests/gone"], 'Cannot find "tests/gone"; give test files or directories of this checkout'],
    [["tests/support"], 'No tests in "tests/support"; expected a file *_test.ts'],
  ];
  for (const [args, says] of rows) {
    const { code, text } = await deno("scripts/test.ts", ...args);
    expect({ args, code }).toEqual({ args, code: 1 });
    expect(text).toContain(says);
    expect(text).not.toMatch(/^(ok|not ok): /m);
  }
});

for (const task of ["bench", "build", "generate"]) {
  Deno.test(`test runner > deno task ${task} --help prints only help`, async () => {
    const { code, text } = await deno(`scripts/${task}.ts`, "--help");
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text).toMatch(new RegExp(`^Usage: deno task ${task} `));
  });
}

Deno.test("test runner > it prints a line for each file, and repeats the failures at the end", async () => {
  const plain = await runTests({
    "good_test.ts": 'console.log("skipped: no gcc");\nDeno.test("a", () => {});\n' +
      'Deno.test("b", async (t) => void await t.step("tried 3, refused 3, escaped 0", () => {}));',
    "bad_test.ts": 'Deno.test("is wrong", () => { throw new Error("because"); });',
    "gone_test.ts": 'Deno.test("ends the process", () => Deno.exit(0));',
    "skips_test.ts": 'Deno.test({ name: "skips", ignore: true, fn() {} });',
  }, { isFull: false });
  expect(plain).toContain(
    "ok   /good_test.ts: 2 passed (0 s)\n     skipped: no gcc\n     attacks: tried 3, escaped 0\n",
  );
  expect(plain).toContain("FAIL /bad_test.ts: 0 passed, 1 failed (0 s)\n");
  expect(plain).toContain("because");
  expect(plain).toContain("FAIL /gone_test.ts: 0 passed, 1 failed (0 s)\n");
  const end = plain.slice(plain.indexOf("\nFailures:\n"));
  for (const name of ["bad", "gone"]) {
    expect(end).toContain(`FAIL /${name}_test.ts: 0 passed, 1 failed (0 s)\n`);
    expect(end).toContain(`Repeat it with: deno task test /${name}_test.ts\n`);
  }
  expect(end).toContain("because");
  expect(end).toMatch(/The slowest files, in seconds: \S+_test\.ts \d+, /);
  expect(plain).toContain("ok   /skips_test.ts: 0 passed, 1 skipped (0 s)\n");
  expect(plain).toContain('{"passed":2,"failed":2,"skipped":1}');
});

Deno.test("test runner > a file that has not started in time is omitted and named", async () => {
  const plain = await runTests({ "late_test.ts": 'Deno.test("a", () => {});' }, {
    isFull: false,
    minutes: 0,
  });
  expect(plain).toContain("Left out after 0 minutes, 1 files: /late_test.ts\n");
  expect(plain).toContain('{"passed":0,"failed":0,"skipped":0}');
});

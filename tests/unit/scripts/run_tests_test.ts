/** The test runner of this project: its output, and the report of failures. */
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const root = new URL("../../../", import.meta.url);

async function deno(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...args],
    cwd: root,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test("test runner > --help prints help, and a wrong argument is an error before a build", async () => {
  const help = await deno("scripts/ok.ts", "--help");
  expect(help.code).toBe(0);
  expect(help.text).toContain("deno task test tests/unit/tools");
  const flag = await deno("scripts/ok.ts", "--verbose");
  expect(flag.code).toBe(1);
  expect(flag.text).toContain('Unknown flag "--verbose"');
  const gone = await deno("scripts/ok.ts", "tests/gone");
  expect(gone.code).toBe(1);
  expect(gone.text.trim()).toBe(
    'Cannot find "tests/gone"; give test files or directories of this checkout',
  );
});

for (const task of ["bench", "build", "generate"]) {
  Deno.test(`test runner > deno task ${task} --help prints help, and does nothing else`, async () => {
    const { code, text } = await deno(`scripts/${task}.ts`, "--help");
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text).toMatch(new RegExp(`^Usage: deno task ${task} `));
  });
}

Deno.test("test runner > each file has a line, and the end of the output repeats the failures", async () => {
  using directory = temporaryDirectory();
  const files = {
    "good_test.ts": 'console.log("skipped: no gcc");\nDeno.test("a", () => {});\n' +
      'Deno.test("b", async (t) => void await t.step("tried 3, refused 3, escaped 0", () => {}));',
    "bad_test.ts": 'Deno.test("is wrong", () => { throw new Error("because"); });',
    "gone_test.ts": 'Deno.test("ends the process", () => Deno.exit(0));',
    "skips_test.ts": 'Deno.test({ name: "skips", ignore: true, fn() {} });',
    "no_tests.ts": "",
  };
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory.path}/${name}`, text);
  }
  const script = `${directory.path}/run.ts`;
  Deno.writeTextFileSync(
    script,
    `import { runTests, testFiles } from ${JSON.stringify(`${root}scripts/run_tests.ts`)};
console.log(JSON.stringify(await runTests(testFiles([${
      JSON.stringify(directory.path)
    }]), false)));`,
  );
  const { text } = await deno(script);
  const plain = text.replaceAll(directory.path, "").replaceAll(/\(\d+\.\d s\)/g, "(0 s)");
  expect(plain).toContain(
    "ok   /good_test.ts: 2 passed (0 s)\n     skipped: no gcc\n     attacks: tried 3, escaped 0\n",
  );
  expect(plain).toContain("FAIL /bad_test.ts: 0 passed, 1 failed (0 s)\n");
  expect(plain).toContain("because");
  expect(plain).toContain("FAIL /gone_test.ts: 0 passed, 1 failed (0 s)\n");
  const again = plain.slice(plain.indexOf("\nWhat failed:\n"));
  for (const name of ["bad", "gone"]) {
    expect(again).toContain(`FAIL /${name}_test.ts: 0 passed, 1 failed (0 s)\n`);
  }
  expect(again).toContain("because");
  expect(plain).toContain("ok   /skips_test.ts: 0 passed, 1 skipped (0 s)\n");
  expect(plain).toContain('{"passed":2,"failed":2,"skipped":1}');
});

Deno.test("test runner > each file that has not started in time is skipped and named", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/late_test.ts`, 'Deno.test("a", () => {});');
  const script = `${directory.path}/run.ts`;
  Deno.writeTextFileSync(
    script,
    `import { runTests } from ${JSON.stringify(`${root}scripts/run_tests.ts`)};
const files = [${JSON.stringify(`${directory.path}/late_test.ts`)}];
console.log(JSON.stringify(await runTests(files, { isFull: false, minutes: 0 })));`,
  );
  const { text } = await deno(script);
  expect(text).toContain("late_test.ts: the 0 minutes of this run are over");
  expect(text).toContain('{"passed":0,"failed":0,"skipped":1}');
});

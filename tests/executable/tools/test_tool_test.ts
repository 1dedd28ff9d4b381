/** The tool `test` on real projects. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

const PASSES = 'Deno.test("adds", () => {});\n';
const FAILS = 'Deno.test("sub; $(touch mark)", () => { throw new Error("no"); });\n';

Deno.test("test > it runs the tests of a project, and names failed tests", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const project = `${path}/a $(touch mark) b`;
  Deno.mkdirSync(project);
  Deno.writeTextFileSync(`${project}/deno.json`, "{}");
  Deno.writeTextFileSync(`${project}/a_test.js`, PASSES);
  const run = (args: Record<string, unknown>, flags = ["-A"]) =>
    call("test", args, { flags, cwd: path });
  const passed = await run({ path: project });
  expect([passed.isError, passed.text.split("\n")[0]])
    .toEqual([false, "deno test (deno.json): exit code 0"]);
  expect(passed.text).toContain("1 passed");
  Deno.writeTextFileSync(`${project}/b_test.js`, FAILS);
  const failed = await run({ path: project });
  expect(failed.exit).toBe(1);
  expect(failed.text).toMatch(
    /^deno test \(deno\.json\) failed with exit code 1\nFailed:\n- sub; /,
  );
  expect(failed._meta?.["toolcall/error"])
    .toMatchObject({ exitCode: 1, failed: ["sub; $(touch mark)"] });
  const other = await run({ path: project, runner: "go" });
  expect(other.text).toContain("no file of it says how go runs them; it has deno");
  Deno.writeTextFileSync(`${project}/deno.json`, '{"tasks":{"test":"echo begun; sleep 600"}}');
  const late = await run({ path: project, timeout: 10_000 });
  expect([late.exit, late._meta?.["toolcall/error"].code]).toEqual([7, "timeout"]);
  expect(late.text).toContain("was ended: The time limit of 10000 ms passed");
  expect(late.text).toContain("begun");
  const refused = await run({ path: project }, ["--allow-run=bash"]);
  expect([refused.exit, refused.text.includes("--allow-read=")]).toEqual([6, true]);
  expect([...Deno.readDirSync(path)].map(({ name }) => name)).toEqual(["a $(touch mark) b"]);
});

Deno.test("test > the runner is restricted by the flags", async () => {
  using directory = temporaryDirectory();
  using other = temporaryDirectory();
  const { path } = directory;
  // A runner of the project, which is found first in PATH.
  Deno.mkdirSync(`${path}/project`);
  Deno.mkdirSync(`${path}/bin`);
  Deno.writeTextFileSync(`${path}/project/Makefile`, "test:\n");
  Deno.writeTextFileSync(
    `${path}/bin/make`,
    `#!/bin/bash\necho "$* in $PWD"; echo x > ${other.path}/x || exit 3\n`,
    { mode: 0o755 },
  );
  const flags = [`--allow-read=${path}`, "--allow-run=bash,make"];
  const result = await call("test", { path: "project" }, {
    flags,
    cwd: path,
    env: { PATH: `${path}/bin:${Deno.env.get("PATH")}` },
  });
  expect(result.exit).toBe(1);
  expect(result.text).toContain("make test (Makefile) failed with exit code 3");
  expect(result.text).toContain(`test in ${path}/project`);
  expect([...Deno.readDirSync(other.path)]).toEqual([]);
});

Deno.test("test > a missing runner is reported with the way to get it, and a failing one is not", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const shell = new Deno.Command("bash", { args: ["-c", "command -v bash ls"] }).outputSync();
  for (const each of new TextDecoder().decode(shell.stdout).trim().split("\n")) {
    Deno.symlinkSync(each, `${path}/${each.replace(/.*\//, "")}`);
  }
  Deno.writeTextFileSync(`${path}/Makefile`, "test:\n");
  const run = () => call("test", {}, { flags: ["-A"], cwd: path, env: { PATH: path } });
  const missing = await run();
  expect([missing.exit, missing.text]).toEqual([
    8,
    'Cannot run "make test" (Makefile): make is not in PATH; install make, or correct PATH',
  ]);
  expect(missing._meta?.["toolcall/error"]).toEqual({ program: "make", code: "unavailable" });
  // A program that the runner cannot find is a failure of the tests.
  Deno.writeTextFileSync(`${path}/make`, "#!/bin/bash\nno_such_program\n", { mode: 0o755 });
  const failed = await run();
  expect([failed.exit, failed._meta?.["toolcall/error"]["exitCode"]]).toEqual([1, 127]);
  expect(failed.text).toContain("no_such_program");
});

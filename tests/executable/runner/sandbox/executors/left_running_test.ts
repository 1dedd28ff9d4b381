/** Programs that a command leaves running are named. Bash and TaskStop take published arguments. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";

const FLAGS = [["-A"], ["--allow-run=bash,sleep,setsid,true"]];
const HINT = "; use run_in_background to keep";

Deno.test("left running > what a command leaves in the background is named in its result", async (t) => {
  const rows: [command: string, text: string, names: string[]][] = [
    [
      "sleep 71 >/dev/null 2>&1 & sleep 0.2; echo a",
      `a\n[Ended with the command: sleep 71${HINT} it running]`,
      [
        "sleep 71",
      ],
    ],
    [
      "setsid sleep 72 >/dev/null 2>&1 & sleep 0.2; printf b",
      `b\n[Ended with the command: sleep 72${HINT} it running]`,
      ["sleep 72"],
    ],
    [
      "for i in 1 2 3 4 5; do sleep 73 & done >/dev/null 2>&1; sleep 0.2",
      `The command printed nothing\n[Ended with the command: sleep 73; sleep 73; sleep 73; 2 ` +
      `more${HINT} them running]`,
      ["sleep 73", "sleep 73", "sleep 73"],
    ],
  ];
  for (const flags of FLAGS) {
    for (const [command, text, names] of rows) {
      await t.step(`${command} under ${flags}`, async () => {
        // On a busy machine a program may still be between its fork and its start, and have no name.
        const run = () => call("Bash", { command }, { flags });
        let result = await run();
        for (let again = 0; again < 5 && /process \d+/.test(result.text); again++) {
          result = await run();
        }
        expect([result.exit, result.text]).toEqual([0, text]);
        expect(result._meta).toEqual({ "toolcall/ended": names });
      });
    }
    await t.step(`a command that fails under ${flags}`, async () => {
      const result = await call("Bash", { command: "sleep 74 & sleep 0.2; exit 3" }, { flags });
      expect(result.text).toBe(
        `Exit code 3\n[Ended with the command: sleep 74${HINT} it running]`,
      );
      expect(result._meta?.["toolcall/error"]["ended"]).toEqual(["sleep 74"]);
    });
    await t.step(`what has ended by itself is not named under ${flags}`, async () => {
      for (
        const command of ["(sleep 0.05 &); sleep 0.5; echo a", "true & wait; echo a", "echo a"]
      ) {
        const result = await call("Bash", { command }, { flags });
        expect([result.text, result._meta]).toEqual(["a\n", undefined]);
      }
    });
  }
});

Deno.test("left running > a process without a command line is named by its program", async () => {
  // So is one between its fork and its start, which has none for a moment.
  const command = "mkfifo p; (exec -a '' cat <>p >/dev/null 2>&1) & sleep 0.2; echo a";
  for (
    const flags of [["-A"], [
      "--allow-run=bash,mkfifo,cat,sleep",
      "--allow-read=.",
      "--allow-write=.",
    ]]
  ) {
    using directory = temporaryDirectory();
    const result = await call("Bash", { command }, { flags, cwd: directory.path });
    expect([flags, result._meta]).toEqual([flags, { "toolcall/ended": ["cat"] }]);
  }
});

Deno.test({
  name: "left running > it is named by its number where no name comes in time",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    // The command stops the shell that looks up names.
    const command = `
      for each in $(cat /proc/$PPID/task/*/children); do
        if grep -qa 'toolcall[-]keeper' /proc/$each/cmdline; then kill -STOP $each; echo $each; fi
      done
      true & sleep 77 >/dev/null 2>&1 & sleep 0.2; echo $!`;
    const result = await call("Bash", { command }, { flags: ["-A"] });
    const [keeper, left] = result.text.split("\n").map(Number);
    Deno.kill(keeper!, "SIGCONT");
    expect(result._meta).toEqual({ "toolcall/ended": [`process ${left}`] });
  },
});

Deno.test("left running > a server names it too", async () => {
  await using peer = Peer.start(["--allow-run=bash,sleep"]);
  await peer.initialize();
  // The pause lets the shell start it: before that, the child still has the shell's command line.
  const command = "sleep 75 >/dev/null 2>&1 & sleep 0.2; echo a";
  const { result } = await peer.call("Bash", { command });
  expect(result.content[0].text).toContain("[Ended with the command: sleep 75;");
  expect(result._meta["toolcall/ended"]).toEqual(["sleep 75"]);
});

Deno.test("Bash > the time limit is told in the background, and has a bound of its own there", async () => {
  using directory = temporaryDirectory();
  const flags = ["-A", `--state-dir=${directory.path}/state`];
  const run = (args: Record<string, unknown>, more = flags) =>
    call("Bash", { command: "true", ...args }, { flags: more });
  const usual = await run({ run_in_background: true });
  const { id, outputFile, timeoutMs } = usual._meta!["toolcall/task"] as unknown as Record<
    string,
    unknown
  >;
  expect(usual.text).toBe(
    `Started in the background as ${id}; read it with TaskOutput, stop it with TaskStop. Its ` +
      `time limit is 1800 s. Its output goes to "${outputFile}".`,
  );
  expect([timeoutMs, Deno.statSync(String(outputFile)).isFile]).toEqual([1_800_000, true]);
  const longest = await run({ run_in_background: true, timeout: 7_200_000 });
  expect(longest.text).toContain("Its time limit is 7200 s.");
  const report = await call("TaskOutput", {
    task_id: longest._meta!["toolcall/task"].id,
  }, { flags });
  expect(report.text).toContain("completed");
  for (const args of [{ run_in_background: true, timeout: 7_200_001 }, { timeout: 600_001 }]) {
    expect((await run(args)).exit).toBe(5);
  }
  // A file that Read may not read is not named to a model.
  const held = ["--allow-run=bash,true", `--state-dir=${directory.path}/state`];
  expect((await run({ run_in_background: true }, held)).text).not.toContain("output goes");
});

Deno.test("Bash > dangerouslyDisableSandbox is decided by the flags", async () => {
  const rows: [value: boolean, flags: string[], exit: number][] = [
    [false, ["--allow-run=bash"], 0],
    [true, ["--allow-run=bash"], 6],
    [true, ["--allow-run=bash", "--unconfined-run"], 0],
    [true, ["-A"], 0],
  ];
  for (const [dangerouslyDisableSandbox, flags, exit] of rows) {
    const result = await call("Bash", { command: "echo a", dangerouslyDisableSandbox }, { flags });
    expect([flags, result.exit]).toEqual([flags, exit]);
    if (exit === 6) expect(result.text).toContain("needs --unconfined-run");
  }
});

Deno.test("TaskStop > takes the older shell_id, by either name", async () => {
  using directory = temporaryDirectory();
  const flags = ["-A", `--state-dir=${directory.path}/state`];
  for (const name of ["TaskStop", "KillShell"]) {
    const { _meta } = await call("Bash", { command: "sleep 60", run_in_background: true }, {
      flags,
    });
    const { id } = _meta!["toolcall/task"];
    const stopped = await call(name, { shell_id: id }, { flags });
    expect([stopped.exit, stopped.text.includes("was stopped")]).toEqual([0, true]);
  }
  for (const args of [{}, { shell_id: "a", task_id: "b" }]) {
    expect((await call("TaskStop", args, { flags })).exit).toBe(5);
  }
});

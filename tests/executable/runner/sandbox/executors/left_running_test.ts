/** Programs that a command leaves running are named. Bash and TaskStop take published arguments. */
import { expect } from "@std/expect";
import { call, type Result, temporaryDirectory } from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";
import { hasOpen, processesWith, uniqueSeconds } from "../../../../support/processes.ts";
import { until } from "../../../../support/wait.ts";

const FLAGS = [["-A"], ["--allow-run=bash,sleep,setsid,true"]];
const HINT = "; use run_in_background to keep";

/** A shell's command that waits for the file `go` in its working directory. */
const WAIT = "until [ -e go ]; do sleep 0.02; done";

/**
 * Starts a call whose command waits for the file `go`, and makes the file when `isStarted` returns
 * true. Before its start, a program has the command line of the shell. The program looks up the names
 * for a limited time, and gives numbers after it, so the call is made again on a busy machine.
 */
async function afterStart<T>(
  start: (cwd: string) => Promise<T>,
  isStarted: (cwd: string) => boolean,
): Promise<T> {
  for (let tries = 1;; tries++) {
    using directory = temporaryDirectory();
    const path = Deno.realPathSync(directory.path);
    const running = start(path);
    expect(await until(() => isStarted(path))).toBe(true);
    Deno.writeTextFileSync(`${path}/go`, "");
    const result = await running;
    if (tries === 20 || !/process \d+/.test(JSON.stringify(result))) return result;
  }
}

/** Runs a command under the flags, which waits until so many programs sleep for a time. */
function runAfterSleeps(command: string, flags: string[], sleeps: [time: string, count: number]) {
  const [time, count] = sleeps;
  return afterStart(
    (cwd) => call("Bash", { command }, { flags: [...flags, `--allow-read=${cwd}`], cwd }),
    () => processesWith(`sleep\0${time}`).length === count,
  );
}

Deno.test("left running > the result names the programs that a command leaves in the background", async (t) => {
  const rows: [command: string, output: string, count: number][] = [
    [`sleep TIME >/dev/null 2>&1 & ${WAIT}; echo a`, "a", 1],
    [`setsid sleep TIME >/dev/null 2>&1 & ${WAIT}; printf b`, "b", 1],
    [
      `for i in 1 2 3 4 5; do sleep TIME & done >/dev/null 2>&1; ${WAIT}`,
      "The command printed nothing",
      5,
    ],
  ];
  for (const flags of FLAGS) {
    for (const [command, output, count] of rows) {
      await t.step(`${command} under ${flags}`, async () => {
        const time = uniqueSeconds();
        const result = await runAfterSleeps(command.replace("TIME", time), flags, [time, count]);
        const names = Array(Math.min(count, 3)).fill(`sleep ${time}`);
        const more = count > 3 ? `; ${count - 3} more` : "";
        const keep = `${HINT} ${count > 1 ? "them" : "it"} running`;
        const text = `${output}\n[Ended with the command: ${names.join("; ")}${more}${keep}]`;
        expect([result.exit, result.text]).toEqual([0, text]);
        expect(result._meta).toEqual({ "toolcall/ended": names });
      });
    }
    await t.step(`a failed command names its program too, under ${flags}`, async () => {
      const time = uniqueSeconds();
      const result = await runAfterSleeps(`sleep ${time} & ${WAIT}; exit 3`, flags, [time, 1]);
      expect(result.text).toBe(
        `Exit code 3\n[Ended with the command: sleep ${time}${HINT} it running]`,
      );
      expect(result._meta?.["toolcall/error"]["ended"]).toEqual([`sleep ${time}`]);
    });
    await t.step(`a program that has ended by itself is not named under ${flags}`, async () => {
      // The substitution ends when the last program that has its pipe has ended.
      const orphan = "none=$( (exec true &) ); echo a";
      for (const command of [orphan, "true & wait; echo a", "echo a"]) {
        const result = await call("Bash", { command }, { flags });
        expect([result.text, result._meta]).toEqual(["a\n", undefined]);
      }
    });
  }
});

Deno.test("left running > a process without a command line is named by its program", async () => {
  // A process between its fork and its start has none for a moment, and is named in the same way.
  const command = `mkfifo p; (exec -a '' cat <>p >/dev/null 2>&1) & ${WAIT}; echo a`;
  for (
    const flags of [["-A"], [
      "--allow-run=bash,mkfifo,cat,sleep",
      "--allow-read=.",
      "--allow-write=.",
    ]]
  ) {
    const result = await afterStart(
      (cwd) => call("Bash", { command }, { flags, cwd }),
      (cwd) => processesNamed("cat").some((pid) => hasOpen(pid, `${cwd}/p`)),
    );
    expect([flags, result._meta]).toEqual([flags, { "toolcall/ended": ["cat"] }]);
  }
});

/** The processes of a program, by its name. */
function processesNamed(name: string): number[] {
  return [...Deno.readDirSync("/proc")].map((each) => Number(each.name)).filter((pid) => {
    try {
      return Deno.readTextFileSync(`/proc/${pid}/comm`) === `${name}\n`;
    } catch {
      return false;
    }
  });
}

Deno.test({
  name: "left running > a process is named by its number if its name does not come in time",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    // The command stops the shell that looks up names.
    const command = `
      for each in $(cat /proc/$PPID/task/*/children); do
        if grep -qa 'toolcall[-]keeper' /proc/$each/cmdline; then kill -STOP $each; echo $each; fi
      done
      true & ended=$!; sleep 600 >/dev/null 2>&1 & wait $ended; echo $!`;
    const result = await call("Bash", { command }, { flags: ["-A"] });
    const [keeper, left] = result.text.split("\n").map(Number);
    Deno.kill(keeper!, "SIGCONT");
    expect(result._meta).toEqual({ "toolcall/ended": [`process ${left}`] });
  },
});

Deno.test("left running > an MCP server names the program too", async () => {
  const time = uniqueSeconds();
  const result = await afterStart(async (cwd): Promise<Result> => {
    await using peer = Peer.start(["--allow-run=bash,sleep", `--allow-read=${cwd}`], { cwd });
    await peer.initialize();
    const command = `sleep ${time} >/dev/null 2>&1 & ${WAIT}; echo a`;
    return (await peer.call("Bash", { command })).result;
  }, () => processesWith(`sleep\0${time}`).length === 1);
  expect(result.content[0]!.text).toContain(`[Ended with the command: sleep ${time};`);
  expect(result._meta).toMatchObject({ "toolcall/ended": [`sleep ${time}`] });
});

Deno.test("Bash > a call in the background reports its time limit, which has a higher bound there", async () => {
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
    timeout: 300_000,
  }, { flags });
  expect(report.text).toContain("completed");
  for (const args of [{ run_in_background: true, timeout: 7_200_001 }, { timeout: 600_001 }]) {
    expect((await run(args)).exit).toBe(5);
  }
  // A file that Read may not read is not named to a model.
  const limited = ["--allow-run=bash,true", `--state-dir=${directory.path}/state`];
  expect((await run({ run_in_background: true }, limited)).text).not.toContain("output goes");
});

Deno.test("Bash > the flags decide whether dangerouslyDisableSandbox is allowed", async () => {
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

Deno.test("TaskStop > the older argument shell_id is accepted, with the name KillShell too", async () => {
  using directory = temporaryDirectory();
  const flags = ["-A", `--state-dir=${directory.path}/state`];
  for (const name of ["TaskStop", "KillShell"]) {
    const { _meta } = await call("Bash", { command: "sleep 600", run_in_background: true }, {
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

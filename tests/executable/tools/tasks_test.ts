/** Background tasks: started by one process, read and stopped by others. */
import { expect } from "@std/expect";
import { State } from "../../../src/runner/state/state.ts";
import { call, executable, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { hasOpen, processesWith, uniqueSeconds } from "../../support/processes.ts";
import { has } from "../../support/programs.ts";
import { until } from "../../support/wait.ts";
import { desk } from "./task_desk.ts";

Deno.test("tasks > a task never shows a negative time, even if the clock was set back", async () => {
  using here = desk();
  const id = await here.start("echo first");
  await here.read(id);
  const state = new State(here.state, "");
  state.database.run("UPDATE task SET started = started + ?", 24 * 3600_000);
  state.close();
  expect((await here.read(id)).text).toMatch(/completed after \d{1,2}\.\d s\n/);
  const listed = await toolcall(["tasks", `--state-dir=${here.state}`]);
  expect(listed.stdout).toMatch(new RegExp(`^${id} +completed +\\d{1,2} s +Bash `, "m"));
});

Deno.test("tasks > a task is read by other processes, while it runs and later", async () => {
  using here = desk();
  const id = await here.start("echo first; until [ -e go ]; do sleep 0.05; done; echo second");
  const file = `${here.state}/tasks/${id}.txt`;
  expect(await until(() => Deno.readTextFileSync(file) === "first\n")).toBe(true);
  const running = await here.read(id, { block: false });
  expect(running.text).toContain("still runs");
  expect(running.text).toContain("\nfirst\n");
  const late = await here.read(id, { timeout: 300 });
  expect(late.text).toContain("still runs");
  Deno.writeTextFileSync(`${here.path}/go`, "");
  const ended = await here.read(id);
  expect(ended.text).toMatch(/completed after [\d.]+ s\nfirst\nsecond\n$/);
  expect(await here.read(id, { block: false })).toEqual(ended);
});

Deno.test("tasks > the call that starts a task returns while the task runs", async () => {
  using here = desk();
  const id = await here.start("sleep 600");
  expect((await here.read(id, { block: false })).text).toContain("still runs");
  await here.stop(id);
});

Deno.test("tasks > another process stops a task with its child processes", () =>
  expectStopped((nap) => `${nap} & (${nap} &)`));

Deno.test({
  name: "tasks > a task is stopped with the child processes that left its session",
  ignore: !has("setsid"),
  fn: () => expectStopped((nap) => `${nap} & setsid nohup ${nap} &`),
});

async function expectStopped(starting: (nap: string) => string): Promise<void> {
  for (const flags of [["-A"], ["--allow-read", "--allow-run"]]) {
    using here = desk(flags);
    const mark = uniqueSeconds();
    const id = await here.start(`echo begun\n${starting(`sleep ${mark}`)}\nwait`);
    // The shell, whose command line contains the mark too, and the two that sleep.
    expect(await until(() => processesWith(mark).length >= 3)).toBe(true);
    const stopped = await here.stop(id);
    expect(stopped.text).toContain("was stopped");
    expect(stopped.text).toContain("begun");
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
    expect((await here.stop(id)).text).toContain("was stopped");
  }
}

Deno.test("tasks > the end of a command is stored: its exit code, a signal or its time limit", async () => {
  using here = desk();
  const cases: [command: string, more: Record<string, unknown>, said: RegExp][] = [
    ["echo out; exit 3", {}, /has failed after .*\nout\nExit code 3$/],
    ["kill -9 $$", {}, /has failed after .*\nEnded by SIGKILL$/],
    [
      "echo out; sleep 600",
      { timeout: 5_000 },
      /timed out after .*\nout\nThe time limit/,
    ],
    ["true", {}, /completed after .*\nThe command printed nothing$/],
  ];
  await Promise.all(cases.map(async ([command, more, said]) => {
    const id = await here.start(command, more);
    expect((await here.read(id)).text).toMatch(said);
  }));
});

Deno.test("tasks > a task whose supervisor is killed is lost, and its processes end", async () => {
  for (const flags of [["-A"], ["--allow-read", "--allow-run"]]) {
    using here = desk(flags);
    const mark = uniqueSeconds();
    const id = await here.start(`echo begun; sleep ${mark}`);
    const file = `${here.state}/tasks/${id}.txt`;
    expect(await until(() => Deno.readTextFileSync(file) === "begun\n")).toBe(true);
    expect(await until(() => processesWith(mark).length > 0)).toBe(true);
    const state = new State(here.state, "");
    Deno.kill(state.tasks.get(id).pid, "SIGKILL");
    state.close();
    const read = await here.read(id);
    expect(read.text).toContain("is lost");
    expect(read.text).toContain("begun");
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
    expect((await here.stop(id)).text).toContain("is lost");
  }
});

Deno.test("tasks > a task runs in the sandbox of its flags, as any call does", async () => {
  using here = desk();
  using outside = temporaryDirectory();
  Deno.writeTextFileSync(`${outside.path}/secret`, "the secret");
  const flags = [`--allow-read=${here.path}`, "--allow-run=bash,cat", `--state-dir=${here.state}`];
  const start = (command: string, more: string[] = []) =>
    call("Bash", { command, run_in_background: true }, {
      flags: [...flags, ...more],
      cwd: here.path,
    });
  const refused = await start(`cat ${outside.path}/secret; echo x >${here.state}/state.db`);
  const read = await here.read(refused._meta!["toolcall/task"].id);
  expect(read.text).toContain("Permission denied");
  expect(read.text).not.toContain("the secret\n");
  const allowed = await start(`cat ${outside.path}/secret`, [`--allow-read=${outside.path}`]);
  expect((await here.read(allowed._meta!["toolcall/task"].id)).text).toContain("the secret");
  const none = await call("Bash", { command: "true", run_in_background: true }, {
    flags: [`--state-dir=${here.state}`],
  });
  expect(none.exit).toBe(6);
});

Deno.test("tasks > a long output is cut in the middle, and a named file has all of it", async () => {
  using here = desk();
  const id = await here.start("for ((i = 0; i < 20000; i++)); do echo line $i; done; sleep 600");
  const file = `${here.state}/tasks/${id}.txt`;
  const isComplete = () => Deno.readTextFileSync(file).includes("line 19999\n");
  expect(await until(isComplete)).toBe(true);
  const { text } = await here.read(id, { block: false });
  expect(text.length).toBeLessThan(31_000);
  expect(text).toContain("line 0\n");
  expect(text).toContain("line 19999\n");
  expect(text).toContain(`in "${file}"`);
  const { text: stopped } = await here.stop(id);
  expect(stopped.length).toBeLessThan(31_000);
  expect(stopped).toContain(`in "${file}"`);
});

Deno.test("tasks > toolcall tasks lists the tasks as a table and as JSON", async () => {
  using here = desk();
  const empty = await toolcall(["tasks", `--state-dir=${here.state}`]);
  expect(empty).toMatchObject({ code: 0, stdout: "No background tasks\n" });
  const id = await here.start("sleep 600", { description: "Wait\u001b[31m for long" });
  const { stdout } = await toolcall(["tasks", `--state-dir=${here.state}`]);
  expect(stdout).toMatch(new RegExp(`^TASK.*\\n${id}  running  \\d+ s .*Bash  Wait.*for long\\n$`));
  expect(stdout).not.toContain("\u001b");
  await here.stop(id);
  const json = await toolcall(["tasks", "--format=json", `--state-dir=${here.state}`]);
  expect(JSON.parse(json.stdout)[0]).toMatchObject({ id, status: "stopped", tool: "Bash" });
  expect(Object.keys(JSON.parse(json.stdout)[0])).toContain("folder");
  expect((await toolcall(["tasks", "walk"])).code).toBe(2);
});

Deno.test("tasks > an unknown id is reported with the command that lists the tasks", async () => {
  using here = desk();
  for (const name of ["TaskOutput", "TaskStop"]) {
    const { exit, text } = await here.ask(name, { task_id: "task_x" });
    expect(exit).toBe(1);
    expect(text).toContain('"toolcall tasks"');
  }
});

Deno.test("tasks > a task that ended long ago is deleted with its output", async () => {
  using here = desk();
  const old = await here.start("echo old");
  await here.read(old);
  const state = new State(here.state, "");
  state.database.run("UPDATE task SET ended = ended - 8 * 24 * 3600000");
  const recent = await here.start("echo new");
  expect(() => state.tasks.get(old)).toThrow("Cannot find");
  expect(() => Deno.statSync(state.tasks.outputFile(old))).toThrow(Deno.errors.NotFound);
  state.close();
  await here.read(recent);
});

Deno.test("tasks > a task whose output file is deleted or unreadable still runs, and can be stopped", async () => {
  for (const hide of ["rm -f", "chmod 0"]) {
    using here = desk();
    const mark = uniqueSeconds();
    const id = await here.start(`echo begun; sleep ${mark}`);
    expect(await until(() => processesWith(mark).length > 0)).toBe(true);
    await here.ask("Bash", { command: `${hide} ${here.state}/tasks/${id}.txt` });
    expect((await here.read(id, { block: false })).text).toContain("still runs");
    expect((await here.stop(id)).text).toContain("was stopped");
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  }
});

const descriptors = "tasks > a task does not keep the descriptors of its caller open";
Deno.test({ name: descriptors, ignore: !has("flock"), fn: expectClosed });

async function expectClosed(): Promise<void> {
  using here = desk();
  const args = JSON.stringify({ command: "sleep 600", run_in_background: true });
  const script =
    `exec 9>lock; flock 9; '${executable}' -A --state-dir=${here.state} Bash '${args}' ` +
    "3>&1 | cat; exec 9>&-; flock --nonblock lock echo free";
  const { stdout } = await new Deno.Command("bash", {
    args: ["-c", script],
    cwd: here.path,
    stdin: "null",
  }).output();
  const [line = "", free] = new TextDecoder().decode(stdout).trim().split("\n");
  expect(free).toBe("free");
  await here.stop(JSON.parse(line)._meta["toolcall/task"].id);
}

Deno.test("tasks > an output and a title that contain a NUL are stored whole", async () => {
  using here = desk();
  const id = await here.start("printf 'before\\0after\\n'; echo last", { description: "a\0b" });
  const { text } = await here.read(id);
  expect(text).toContain("before\0after\nlast\n");
  expect(text).toContain('"a\\u0000b"');
});

Deno.test("tasks > a signal ends the wait for a task, and not the task", async () => {
  using here = desk();
  const id = await here.start("sleep 600");
  const read = new Deno.Command(executable, {
    args: [`--state-dir=${here.state}`, "TaskOutput", JSON.stringify({ task_id: id })],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  // It opens the store as it begins to wait, and handles signals before that.
  expect(await until(() => hasOpen(read.pid, `${here.state}/state.db`))).toBe(true);
  read.kill("SIGTERM");
  const { code, stdout } = await read.output();
  expect({ code, text: new TextDecoder().decode(stdout) }).toMatchObject({ code: 7 });
  expect((await here.read(id, { block: false })).text).toContain("still runs");
  await here.stop(id);
});

Deno.test("tasks > run-task refuses input that toolcall did not write", async () => {
  using here = desk();
  for (const stdin of ["", "{}", '{"id":"../x","call":{}}', "x"]) {
    const { code, stdout } = await toolcall(["-A", `--state-dir=${here.state}`, "run-task"], {
      stdin,
    });
    expect({ stdin, code, stdout }).toEqual({ stdin, code: 2, stdout: "" });
  }
});

Deno.test("tasks > an output file over the size limit does not end the call", async () => {
  using here = desk(["--allow-read", "--allow-run", "--limit=file-size=100K"]);
  const { text, exit } = await here.ask("Bash", { command: "seq 1 100000" });
  expect(exit).toBe(0);
  expect(text).toContain("100000\n");
  expect(text).toContain("could not be kept in a file");
  const id = await here.start("seq 1 100000");
  expect((await here.read(id)).text).toContain("completed");
});

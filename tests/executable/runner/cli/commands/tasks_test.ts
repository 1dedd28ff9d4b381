/** `toolcall tasks`: background tasks for a user at a shell. */
import { expect } from "@std/expect";
import { call, executable, temporaryDirectory, toolcall } from "../../../../support/executable.ts";
import { killWhenStuck } from "../../../../support/wait.ts";

/** A new state directory, and functions that start and examine background tasks in it. */
function world() {
  const directory = temporaryDirectory();
  const state = `--state-dir=${directory.path}/state`;
  return {
    path: directory.path,
    state,
    tasks: (...args: string[]) => toolcall(["tasks", ...args, state]),
    start: async (command: string): Promise<string> => {
      const args = { command, run_in_background: true };
      const { _meta } = await call("Bash", args, { flags: ["-A", state] });
      return _meta!["toolcall/task"].id;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("tasks > wait exits with the outcome of the task", async () => {
  using it = world();
  const rows: [command: string, code: number, status: string][] = [
    ["echo good", 0, "completed"],
    ["echo bad; exit 3", 1, "failed"],
  ];
  for (const [command, code, status] of rows) {
    const id = await it.start(command);
    const waited = await it.tasks("wait", id, "--timeout=600s", "--format=json");
    expect(waited.code).toBe(code);
    expect(JSON.parse(waited.stdout)).toMatchObject({ id, status, tool: "Bash" });
    const shown = await it.tasks("show", id);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(new RegExp(`^task +${id}\nstatus +${status}, `));
    expect((await it.tasks("logs", id)).stdout).toBe(`${command.split(/[ ;]/)[1]}\n`);
    const json = await it.tasks("logs", id, "--format=json");
    expect(JSON.parse(json.stdout)).toMatchObject({ id, status });
  }
  expect(JSON.parse((await it.tasks("list", "--format=json")).stdout).length).toBe(2);
  expect((await it.tasks()).stdout).toBe((await it.tasks("list")).stdout);
});

Deno.test("tasks > logs -f follows a task to its end, wait has a time limit, and stop ends a task", async () => {
  using it = world();
  const go = `${it.path}/go`;
  const id = await it.start(`echo one; until [ -e '${go}' ]; do sleep 0.02; done; echo two`);
  const child = new Deno.Command(executable, {
    args: ["tasks", "logs", id, "-f", it.state],
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  using _ = killWhenStuck(child);
  const errors = new Response(child.stderr).text();
  let output = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += part;
    if (output === "one\n") Deno.writeTextFileSync(go, "");
  }
  const { code } = await child.status;
  expect({ code, output, errors: await errors }).toEqual({
    code: 0,
    output: "one\ntwo\n",
    errors: "",
  });
  const long = await it.start("echo begun; sleep 600");
  const waited = await it.tasks("wait", long, "--timeout=100ms");
  expect(waited.code).toBe(7);
  expect(waited.stderr).toContain("still runs after 100ms");
  const stopped = await it.tasks("stop", long);
  expect(stopped.code).toBe(0);
  expect(stopped.stdout).toContain("stopped, ");
  expect((await it.tasks("wait", long)).code).toBe(7);
});

Deno.test("tasks > a wrong command line and an unknown task are reported", async () => {
  using it = world();
  const rows: [args: string[], code: number, says: string][] = [
    [["shw"], 2, 'did you mean "show"?'],
    [["show"], 2, "Missing task id"],
    [["list", "x"], 2, 'Unexpected argument "x"'],
    [["show", "x", "-f"], 2, "--follow belongs to"],
    [["wait", "x", "--timeout=5"], 2, "write a time with its unit"],
    [["show", "task_none"], 1, "Cannot find the background task"],
    [["stop", "task_none"], 1, "Cannot find the background task"],
  ];
  for (const [args, code, says] of rows) {
    const run = await it.tasks(...args);
    expect({ args, code: run.code, stdout: run.stdout }).toEqual({ args, code, stdout: "" });
    expect(run.stderr).toContain(says);
  }
});

/** Background tasks where there are a thousand of them, and where bubblewrap is the sandbox. */
// tier: machine
import { expect } from "@std/expect";
import { State } from "../../../src/runner/state/state.ts";
import { executable } from "../../support/executable.ts";
import { childrenCpuOf } from "../../support/measure.ts";
import { works } from "../../support/programs.ts";
import { desk } from "./task_desk.ts";

Deno.test("tasks > a thousand ended tasks do not slow down a cold Read", async () => {
  using here = desk();
  const file = `${here.path}/text`;
  Deno.writeTextFileSync(file, "hello\n");
  const read = (directory: string) => {
    const { success } = new Deno.Command(executable, {
      args: [
        `--allow-read=${here.path}`,
        `--state-dir=${directory}`,
        "Read",
        JSON.stringify({ file_path: file }),
      ],
      stdin: "null",
      stdout: "null",
    }).outputSync();
    expect(success).toBe(true);
  };
  const state = new State(here.state, "");
  const { tasks } = state;
  state.database.step(() => {
    for (let at = 0; at < 1000; at++) {
      const id = `task_${at}`;
      tasks.add({ id, tool: "Bash", title: "x", session: "", folder: "/", pid: 1, born: "" });
      tasks.end(id, { status: "completed", text: "x".repeat(1000) });
      Deno.writeTextFileSync(tasks.outputFile(id), "x");
    }
  });
  state.close();
  let [without, withTasks] = [0, 0];
  for (let round = 0; round < 30; round++) {
    without += await childrenCpuOf(() => read(`${here.path}/empty`));
    withTasks += await childrenCpuOf(() => read(here.state));
  }
  expect(withTasks / without).toBeLessThan(1.3);
});

const bubblewrap = ["bwrap", "--ro-bind", "/", "/", "true"];
const behindBubblewrap =
  "tasks > a call with --wall=bwrap does not run in the background, and says why";
Deno.test({
  name: behindBubblewrap,
  ignore: !works(bubblewrap, "the optional sandbox layer"),
  fn: expectForeground,
});

async function expectForeground(): Promise<void> {
  using here = desk(["-A", "--wall=bwrap"]);
  const { exit, text } = await here.ask("Bash", { command: "true", run_in_background: true });
  expect(exit).toBe(8);
  expect(text).toContain("--wall");
  const todos = await here.ask("TodoWrite", { todos: [] });
  expect(todos.exit).toBe(0);
}

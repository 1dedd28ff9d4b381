/** Monitor: a command in the background whose lines other calls read. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";

function desk(flags: string[] = ["-A"]) {
  const directory = temporaryDirectory();
  const state = `${directory.path}/state`;
  const ask = (name: string, args: Record<string, unknown>, more: string[] = []) =>
    call(name, args, { flags: [...flags, `--state-dir=${state}`, ...more], cwd: directory.path });
  return {
    path: directory.path,
    state,
    ask,
    async watch(command: string, more: Record<string, unknown> = {}): Promise<string> {
      const result = await ask("Monitor", { description: "The events", command, ...more });
      expect([result.text, result.isError]).toEqual([result.text, false]);
      return result._meta!["toolcall/task"].id;
    },
    read: async (id: string, more: Record<string, unknown> = {}) =>
      (await ask("TaskOutput", { task_id: id, timeout: 600_000, ...more })).text,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("monitor > lines of stdout can be read while the command runs, and lines of stderr cannot", async () => {
  for (const flags of [["-A"], ["--allow-read", "--allow-run"]]) {
    using here = desk(flags);
    const id = await here.watch("echo one; echo hidden >&2; until [ -e go ]; do sleep 0.1; done");
    const file = `${here.state}/tasks/${id}.txt`;
    expect(await until(() => Deno.readTextFileSync(file) === "one\n")).toBe(true);
    const running = await here.read(id, { block: false });
    expect(running).toContain('(Monitor "The events") still runs');
    expect(running).toContain("\none\n");
    Deno.writeTextFileSync(`${here.path}/go`, "");
    const ended = await here.read(id);
    expect(ended).toMatch(/completed after [\d.]+ s\none\nThe command has ended/);
    expect(ended).not.toContain("hidden");
  }
});

Deno.test("monitor > a failure is reported with the exit code and the end of stderr", async () => {
  using here = desk();
  const id = await here.watch("echo one; echo broken >&2; exit 3");
  expect(await here.read(id)).toMatch(/has failed after [\d.]+ s\none\nbroken\nExit code 3$/);
  const killed = await here.watch("kill -9 $$");
  expect(await here.read(killed)).toMatch(/has failed after .*\nEnded by SIGKILL$/);
});

Deno.test("monitor > the command ends at its time limit, and TaskStop ends it with its child processes", async () => {
  using here = desk();
  const late = await here.watch("echo one; sleep 1000", { timeout_ms: 5_000 });
  expect(await here.read(late)).toMatch(/timed out after .*\none\nThe time limit of 5000 ms/);
  const mark = uniqueSeconds();
  const id = await here.watch(`echo one; sleep ${mark} & sleep ${mark}`);
  expect(await until(() => processesWith(mark).length >= 3)).toBe(true);
  const stopped = await here.ask("TaskStop", { task_id: id });
  expect(stopped.text).toContain("was stopped");
  expect(stopped.text).toContain("\none\n");
  expect(await until(() => processesWith(mark).length === 0)).toBe(true);
});

Deno.test("monitor > the result has the task and its time limit, which is at most 30 minutes", async () => {
  using here = desk();
  const args = { description: "Nothing", command: "true" };
  const usual = await here.ask("Monitor", args, ["--structured"]);
  const { id } = usual._meta!["toolcall/task"];
  expect(usual.structuredContent).toEqual({ taskId: id, timeoutMs: 300_000 });
  expect(usual.text).toContain("Its time limit is 300 s.");
  const long = await here.ask("Monitor", { ...args, timeout_ms: 99_000_000 }, ["--structured"]);
  expect(long.structuredContent).toMatchObject({ timeoutMs: 1_800_000 });
  // Both tasks have ended before their directory is removed.
  for (const { _meta } of [usual, long]) await here.read(_meta!["toolcall/task"].id);
});

Deno.test("monitor > invalid arguments, a missing permission and plan mode are refused before the command starts", async () => {
  using here = desk([]);
  const rows: [args: Record<string, unknown>, flags: string[], exit: number, says: string][] = [
    [{ command: "true" }, ["-A"], 5, "/description: required"],
    [{ description: "a" }, ["-A"], 5, "/command: required"],
    [{ description: "a", command: "true", timeout_ms: 0 }, ["-A"], 5, "/timeout_ms"],
    [{ description: "a", command: "true" }, [], 6, "--allow-run=bash"],
    [{ description: "a", command: "true" }, ["-A", "--deny-run=bash"], 6, "--deny-run=bash"],
  ];
  for (const [args, flags, exit, says] of rows) {
    const result = await here.ask("Monitor", args, flags);
    expect(result.exit).toBe(exit);
    expect(result.text).toContain(says);
  }
  await here.ask("EnterPlanMode", {});
  const planned = await here.ask("Monitor", { description: "a", command: "true" }, ["-A"]);
  expect(planned.exit).toBe(6);
  expect(planned.text).toContain("in plan mode");
});

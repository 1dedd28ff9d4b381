/** The store with many processes at once, killed processes, and a lock that stays. */
// tier: machine
import { expect } from "@std/expect";
import { DatabaseSync } from "node:sqlite";
import type { StoredTask, TaskStore } from "../../../../src/runner/state/task_store.ts";
import { call, executable, temporaryDirectory } from "../../../support/executable.ts";
import { pause, until } from "../../../support/wait.ts";
import { callUntilFree, opened, todo } from "./store_calls.ts";

/** Waits until a task has ended, and returns it. */
async function ended(tasks: TaskStore, id: string): Promise<StoredTask> {
  expect(await until(() => tasks.get(id).status !== "running")).toBe(true);
  return tasks.get(id);
}

function listOf(directory: string, session: string): unknown {
  return opened(
    directory,
    ({ values }) => values.get({ space: "tool TodoWrite", session }, "todos"),
  );
}

Deno.test("store > 200 processes at once lose no list, no setting and no background task", async () => {
  using directory = temporaryDirectory();
  const flags = (session: string) => [
    "-A",
    `--state-dir=${directory.path}/state`,
    `--session=${session}`,
  ];
  const runs = Array.from({ length: 200 }, async (_, at) => {
    const session = `s${at}`;
    if (at % 4 === 3) {
      const args = { command: `echo task ${at}`, run_in_background: true };
      const { isError, text, _meta } = await callUntilFree("Bash", args, { flags: flags(session) });
      return { at, isError, text, id: _meta?.["toolcall/task"].id ?? "" };
    }
    const { isError, text } = at % 4 === 2
      ? await callUntilFree("Config", { setting: "plan_mode", value: true }, {
        flags: flags(session),
      })
      : await callUntilFree("TodoWrite", { todos: [todo(`item ${at}`)] }, {
        flags: flags(session),
      });
    return { at, isError, text, id: "" };
  });
  const results = await Promise.all(runs);
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  for (const { at, id } of results) {
    const session = `s${at}`;
    if (at % 4 === 3) {
      const task = await opened(`${directory.path}/state`, ({ tasks }) => ended(tasks, id));
      expect(task).toMatchObject({ session, status: "completed", text: `task ${at}\n` });
    } else if (at % 4 === 2) {
      const plan = opened(
        `${directory.path}/state`,
        ({ values }) => values.get({ space: "settings", session }, "plan_mode"),
      );
      expect({ at, plan }).toEqual({ at, plan: true });
    } else {
      const kept = [{ id: "1", ...todo(`item ${at}`) }];
      expect(listOf(`${directory.path}/state`, session)).toEqual(kept);
    }
  }
});

Deno.test("store > 40 processes that create the store at once can all use it", async () => {
  for (let round = 0; round < 3; round++) {
    using directory = temporaryDirectory();
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        callUntilFree("TodoWrite", { todos: [] }, {
          flags: [`--state-dir=${directory.path}`, `--session=${at}`],
        })),
    );
    expect(results.filter(({ isError }) => isError)).toEqual([]);
  }
});

Deno.test("store > J10 SIGKILL at any moment leaves a store that opens, with the old or the new list", async () => {
  using directory = temporaryDirectory();
  const flags = [`--state-dir=${directory.path}/state`, "--session=one"];
  await call("TodoWrite", { todos: [todo("0")] }, { flags });
  const start = performance.now();
  await call("TodoWrite", { todos: [todo("0")] }, { flags });
  let killMs = performance.now() - start;
  let [kept, done] = [0, 0];
  for (let at = 1; at <= 80; at++) {
    const child = new Deno.Command(executable, {
      args: [...flags, "TodoWrite", JSON.stringify({ todos: [todo(String(at))] })],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await pause(killMs, "The process is killed at many different moments");
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await child.status;
    const list = listOf(`${directory.path}/state`, "one") as { content: string }[];
    expect(list.length).toBe(1);
    const now = Number(list[0]!.content);
    expect([kept, at]).toContain(now);
    const isDone = now === at;
    // The next process is killed closer to the moment of the change, on a slow machine too.
    killMs *= isDone ? 0.9 : 1.1;
    done += Number(isDone);
    kept = now;
  }
  // Some processes were killed before the change, and some after it.
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(80);
});

Deno.test("store > a call fails and names the store when another process keeps it locked", async () => {
  using directory = temporaryDirectory();
  await call("TodoWrite", { todos: [] }, { flags: [`--state-dir=${directory.path}`] });
  const db = new DatabaseSync(`${directory.path}/state.db`);
  db.exec("BEGIN IMMEDIATE");
  const { exit, text } = await call("TodoWrite", { todos: [] }, {
    flags: [`--state-dir=${directory.path}`],
  });
  db.close();
  expect(exit).toBe(8);
  expect(text).toContain(`${directory.path}/state.db`);
  expect(text).toContain("locked it for too long");
});

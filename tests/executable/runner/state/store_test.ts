/** The store with many processes at once, killed processes, and files that are not stores. */
import { expect } from "@std/expect";
import { DatabaseSync } from "node:sqlite";
import { State } from "../../../../src/runner/state/state.ts";
import type { StoredTask, TaskStore } from "../../../../src/runner/state/task_store.ts";
import { call, executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { pause, until } from "../../../support/wait.ts";

const todo = (content: string) => ({ content, status: "pending", activeForm: content });

/** Opens the state in this process, and returns the result of `look`. */
function opened<T>(directory: string, look: (state: State) => T): T {
  const state = new State(directory, "");
  const result = look(state);
  if (result instanceof Promise) return result.finally(() => state.close()) as T;
  state.close();
  return result;
}

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

/** Calls again while too many other processes wait for the store, as the error advises. */
async function callUntilFree(...[name, args, options]: Parameters<typeof call>) {
  for (let tries = 1;; tries++) {
    const result = await call(name, args, options);
    if (tries === 50 || !result.text.includes("locked it for too long")) return result;
  }
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

Deno.test("store > each of 40 processes that replace one list sees the list before its own", async () => {
  using directory = temporaryDirectory();
  const flags = [`--state-dir=${directory.path}`, "--session=one"];
  const texts = await Promise.all(Array.from({ length: 40 }, async (_, at) => {
    const { text } = await callUntilFree("TodoWrite", { todos: [todo(`item ${at}`)] }, { flags });
    return text;
  }));
  // Each list but the last was removed once, by the process that came after.
  const removed = texts.flatMap((text) => /removed "item (\d+)"/.exec(text)?.[1] ?? []);
  expect(new Set(removed).size).toBe(39);
  expect(removed.length).toBe(39);
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

/** Files at the path of the store, and the error that each causes. */
const strange: [name: string, make: (path: string) => void, said: string][] = [
  [
    "a text file",
    (path) => Deno.writeTextFileSync(path, "not a store\n".repeat(1000)),
    "not a database of",
  ],
  ["a truncated store", (path) => {
    opened(
      path.replace("/state.db", ""),
      ({ values }) => values.set({ space: "x", session: "" }, "k", { value: "v".repeat(50_000) }),
    );
    Deno.truncateSync(path, 20_000);
  }, "damaged"],
  ["a store with a page of random bytes", (path) => {
    opened(path.replace("/state.db", ""), ({ tasks }) => tasks.list());
    using file = Deno.openSync(path, { write: true });
    file.seekSync(4096, Deno.SeekMode.Start);
    file.writeSync(crypto.getRandomValues(new Uint8Array(20_000)));
  }, "damaged"],
  ["a database of another program", (path) => {
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    db.close();
  }, "another program"],
  ["the store of a newer version", (path) => {
    opened(
      path.replace("/state.db", ""),
      ({ database }) => database.run("PRAGMA user_version = 99"),
    );
  }, "newer version"],
];

for (const [name, make, said] of strange) {
  Deno.test(`store > ${name} causes an error that names its path, and stays unchanged`, async () => {
    using directory = temporaryDirectory();
    const path = `${directory.path}/state.db`;
    make(path);
    const before = Deno.readFileSync(path);
    const todos = [todo("one")];
    for (const [tool, args] of [["TodoWrite", { todos }], ["Config", { setting: "*" }]] as const) {
      const result = await call(tool, args, { flags: [`--state-dir=${directory.path}`] });
      expect(result.exit).toBe(8);
      expect(result.text).toContain(path);
      expect(result.text).toContain(said);
      expect(result.text).toContain("--state-dir");
    }
    const { code, stderr } = await toolcall(["tasks", `--state-dir=${directory.path}`]);
    expect(code).toBe(8);
    expect(stderr).toContain(path);
    expect(Deno.readFileSync(path)).toEqual(before);
  });
}

Deno.test("store > an error names a directory that cannot be created", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/file`, "");
  const flags = ["-A", `--state-dir=${directory.path}/file/state`];
  for (
    const [tool, args] of [
      ["TodoWrite", { todos: [] }],
      ["Bash", { command: "true", run_in_background: true }],
    ] as const
  ) {
    const { exit, text } = await call(tool, args, { flags });
    expect({ tool, exit }).toEqual({ tool, exit: 8 });
    expect(text).toContain(`${directory.path}/file/state`);
  }
});

Deno.test("store > only the user can open the store, and an empty file becomes a store", async () => {
  using directory = temporaryDirectory();
  const state = `${directory.path}/state`;
  const { exit } = await call("TodoWrite", { todos: [] }, { flags: [`--state-dir=${state}`] });
  expect(exit).toBe(0);
  expect(Deno.statSync(state).mode! & 0o777).toBe(0o700);
  expect(Deno.statSync(`${state}/state.db`).mode! & 0o777).toBe(0o600);
  Deno.mkdirSync(`${directory.path}/empty`);
  Deno.writeTextFileSync(`${directory.path}/empty/state.db`, "");
  const again = await call("TodoWrite", { todos: [] }, {
    flags: [`--state-dir=${directory.path}/empty`],
  });
  expect(again.exit).toBe(0);
});

Deno.test("store > an expired value is not returned", () => {
  using directory = temporaryDirectory();
  opened(directory.path, ({ values }) => {
    const owner = { space: "x", session: "" };
    values.set(owner, "short", { value: 1, ttlMs: -1 });
    values.set(owner, "long", { value: 2, ttlMs: 60_000 });
    expect([values.get(owner, "short"), values.get(owner, "long")]).toEqual([undefined, 2]);
    expect(values.all(owner)).toEqual({ long: 2 });
    expect(values.get({ space: "x", session: "other" }, "long")).toBeUndefined();
  });
});

Deno.test("store > a session has its name, or else each working directory has a session", async () => {
  using directory = temporaryDirectory();
  const [a, b] = [`${directory.path}/a`, `${directory.path}/b`];
  for (const path of [a, b]) Deno.mkdirSync(path);
  const write = async (cwd: string, flags: string[] = []) => {
    const all = [`--state-dir=${directory.path}/state`, ...flags];
    return (await call("TodoWrite", { todos: [todo(cwd)] }, { cwd, flags: all })).text;
  };
  expect(await write(a)).toContain("added");
  expect(await write(a)).toContain("nothing changed");
  expect(await write(b)).toContain("added");
  expect(await write(b, [`--root=${a}`])).toContain("removed");
  expect(await write(a, ["--session=x"])).toContain("added");
  expect(await write(b, ["--session=x"])).toContain("removed");
});

Deno.test("store > a call that needs no store neither opens nor creates one", async () => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/text`;
  Deno.writeTextFileSync(file, "hello\n");
  Deno.writeTextFileSync(`${directory.path}/state.db`, "damaged");
  const state = `--state-dir=${directory.path}`;
  const calls: [string, Record<string, unknown>][] = [
    ["Read", { file_path: file }],
    ["Write", { file_path: file, content: "hello\n" }],
    ["Glob", { pattern: "*" }],
    ["Bash", { command: "true" }],
  ];
  for (const [name, args] of calls) {
    const { exit } = await call(name, args, { flags: ["-A", state], cwd: directory.path });
    expect({ name, exit }).toEqual({ name, exit: 0 });
  }
  const fresh = `${directory.path}/fresh`;
  await call("Read", { file_path: file }, { flags: ["-A", `--state-dir=${fresh}`] });
  expect(() => Deno.statSync(fresh)).toThrow(Deno.errors.NotFound);
});

Deno.test("store > a directory or file that another user could have made or could change is refused", async () => {
  const kept = (path: string) =>
    call("TodoWrite", { todos: [] }, { flags: [`--state-dir=${path}`] });
  using directory = temporaryDirectory();
  const cases: [name: string, make: (path: string) => void, said: string][] = [
    ["a directory that all can write", (path) => Deno.chmodSync(path, 0o1777), "chmod go-w"],
    ["tasks that all can write", (path) => {
      Deno.mkdirSync(`${path}/tasks`);
      Deno.chmodSync(`${path}/tasks`, 0o777);
    }, "chmod go-w"],
    ["a store that is a link", (path) => {
      Deno.writeTextFileSync(`${directory.path}/victim`, "kept");
      Deno.symlinkSync(`${directory.path}/victim`, `${path}/state.db`);
    }, "symbolic link"],
  ];
  if (Deno.uid() === 0) {
    cases.push([
      "a directory of another user",
      (path) => Deno.chownSync(path, 61_234, 61_234),
      "another",
    ]);
  }
  for (const [name, make, said] of cases) {
    const path = `${directory.path}/${name.replaceAll(" ", "_")}`;
    Deno.mkdirSync(path, { mode: 0o700 });
    make(path);
    const { exit, text } = await kept(path);
    expect({ name, exit }).toEqual({ name, exit: 8 });
    expect(text).toContain(said);
  }
  expect(Deno.readTextFileSync(`${directory.path}/victim`)).toBe("kept");
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

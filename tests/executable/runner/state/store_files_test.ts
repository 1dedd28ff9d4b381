/** The files, the sessions and the errors of the store. */
import { expect } from "@std/expect";
import { DatabaseSync } from "node:sqlite";
import { call, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { callUntilFree, opened, todo } from "./store_calls.ts";

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

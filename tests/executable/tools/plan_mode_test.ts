/** Plan mode: while a session is in it, its calls change nothing. */
import { expect } from "@std/expect";
import { entries } from "../../../tools/_generated/index.ts";
import { call, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { type Call, submitCalls } from "./submitted_calls.ts";

const tools = await Promise.all(entries.map(async ({ load }) => (await load()).metadata));

function desk() {
  const directory = temporaryDirectory();
  const options = (session: string) => ({
    flags: ["-A", `--state-dir=${directory.path}/state`, `--session=${session}`],
    cwd: directory.path,
  });
  return {
    path: directory.path,
    ask: (name: string, args: Record<string, unknown>, session = "one") =>
      call(name, args, options(session)),
    /** Runs the calls one after the other in one process. */
    askAll: (calls: Call[]) => submitCalls(calls, { ...options("one"), jobs: 1 }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("plan mode > a tool that changes things or starts programs is refused, and no other tool", async () => {
  using here = desk();
  Deno.writeTextFileSync(`${here.path}/hello.txt`, "hello\n");
  await here.ask("Config", { setting: "plan_mode", value: true });
  // Their first examples only read.
  const reading = [
    ...["Config", "file", "git"],
    ...["memory", "str_replace_based_edit_tool", "str_replace_editor"],
  ];
  const rows = tools.flatMap(({ name, sideEffect, examples }) => {
    const changes = (sideEffect === "mutating" || sideEffect === "spawns") &&
      !reading.includes(name);
    const args = JSON.stringify(examples[0]?.input ?? {}).replaceAll("$ROOT", here.path);
    if (!changes && sideEffect === "network") return [];
    return [{ name, changes, arguments: JSON.parse(args) }];
  });
  const results = await here.askAll(rows);
  for (const [at, { name, changes }] of rows.entries()) {
    const { text } = results[at]!;
    expect({ name, refused: text.includes("in plan mode, because") }).toEqual({
      name,
      refused: changes,
    });
  }
  expect([...Deno.readDirSync(here.path)].map(({ name }) => name).sort())
    .toEqual(["hello.txt", "state"]);
});

Deno.test("plan mode > it belongs to a session, and lasts across processes", async () => {
  using here = desk();
  const command = { command: "echo works" };
  await here.ask("Config", { setting: "plan_mode", value: true });
  expect((await here.ask("Bash", command)).exit).toBe(6);
  expect((await here.ask("Bash", command, "other")).text).toBe("works\n");
  expect((await here.ask("Bash", { ...command, run_in_background: true })).exit).toBe(6);
});

Deno.test("plan mode > Config does not end it", async () => {
  using here = desk();
  await here.ask("Config", { setting: "plan_mode", value: true });
  for (const value of [false, "", "false"]) {
    expect((await here.ask("Config", { setting: "plan_mode", value })).isError).toBe(true);
  }
  expect((await here.ask("Bash", { command: "true" })).exit).toBe(6);
});

Deno.test("plan mode > a call reads the state only if the mark file of plan mode exists", async () => {
  using here = desk();
  await here.ask("Config", { setting: "plan_mode", value: true }, "one");
  expect(Deno.statSync(`${here.path}/state/plan-mode`).isFile).toBe(true);
  Deno.writeTextFileSync(`${here.path}/state/state.db`, "damaged");
  expect((await here.ask("Bash", { command: "true" }, "two")).exit).toBe(8);
  Deno.removeSync(`${here.path}/state/plan-mode`);
  expect((await here.ask("Bash", { command: "true" }, "two")).exit).toBe(0);
});

Deno.test("plan mode > check reports that a call will be refused", async () => {
  using here = desk();
  await here.ask("Config", { setting: "plan_mode", value: true });
  const flags = ["-A", `--state-dir=${here.path}/state`, "--session=one"];
  const { code, stdout } = await toolcall(["check", ...flags, "Bash", '{"command":"true"}']);
  expect(code).toBe(6);
  expect(stdout).toContain("in plan mode, because");
});

Deno.test("plan mode > a mark file is removed by the next call if no session is in plan mode", async () => {
  using here = desk();
  await here.ask("TodoWrite", { todos: [] });
  const mark = `${here.path}/state/plan-mode`;
  Deno.writeTextFileSync(mark, "");
  expect((await here.ask("Bash", { command: "echo works" })).text).toBe("works\n");
  expect(() => Deno.statSync(mark)).toThrow(Deno.errors.NotFound);
});

Deno.test("plan mode > a call that only reads runs, even if its tool can change things", async () => {
  using here = desk();
  Deno.writeTextFileSync(`${here.path}/hello.txt`, "hello\n");
  const git = (...args: string[]) =>
    new Deno.Command("git", { args: ["-C", here.path, ...args] }).output();
  await git("init", "-q", "-b", "main");
  await git(
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "x",
  );
  await here.ask("Config", { setting: "plan_mode", value: true });
  const rows: [name: string, args: Record<string, unknown>, runs: boolean][] = [
    ["file", { action: "read", path: "hello.txt" }, true],
    ["file", { action: "list", path: "." }, true],
    ["file", { action: "write", path: "new.txt", content: "x" }, false],
    ["git", { action: "status" }, true],
    ["git", { action: "log" }, true],
    ["git", { action: "diff" }, true],
    ["git", { action: "show" }, true],
    ["git", { action: "branch" }, true],
    ["git", { action: "branch", name: "topic", create: true }, false],
    ["git", { action: "add", paths: ["hello.txt"] }, false],
    ["git", { action: "commit", message: "x" }, false],
    ["git", { action: "checkout", paths: ["hello.txt"] }, false],
    ["Config", { setting: "plan_mode" }, true],
    ["Config", { setting: "plan_mode", value: null }, true],
    ["Config", { setting: "model.sonnet", value: "x" }, false],
  ];
  const results = await here.askAll(rows.map(([name, args]) => ({ name, arguments: args })));
  for (const [at, [name, args, runs]] of rows.entries()) {
    const { exit, text } = results[at]!;
    expect({ name, args, exit, text }).toEqual({ name, args, exit: runs ? 0 : 6, text });
    const flags = ["check", "-A", `--state-dir=${here.path}/state`, "--session=one"];
    const stdin = JSON.stringify({ name, arguments: args });
    const { code } = await toolcall(flags, { stdin, cwd: here.path });
    expect({ name, args, code }).toEqual({ name, args, code: runs ? 0 : 6 });
  }
  expect([...Deno.readDirSync(here.path)].some(({ name }) => name === "new.txt")).toBe(false);
});

/** TaskCreate, TaskGet, TaskUpdate and TaskList: single items of the list that TodoWrite keeps. */
import { expect } from "@std/expect";
import { State } from "../../../src/runner/state/state.ts";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { type Call, submitCalls } from "./submitted_calls.ts";

type Args = Record<string, unknown>;

/** Calls without any permission in one state directory. */
function desk() {
  const directory = temporaryDirectory();
  const flagsOf = (session: string) => [`--state-dir=${directory.path}`, `--session=${session}`];
  const ask = (name: string, args: Args, session = "one") =>
    call(name, args, { flags: flagsOf(session) });
  return {
    ask,
    /** Runs the calls one after the other in one process. */
    askAll: (calls: Call[]) => submitCalls(calls, { flags: flagsOf("one"), jobs: 1 }),
    path: directory.path,
    create: (subject: string, more: Args = {}, session?: string) =>
      ask("TaskCreate", { subject, description: `${subject} in full`, ...more }, session),
    update: (taskId: string, change: Args) => ask("TaskUpdate", { taskId, ...change }),
    get: async (taskId: string) => (await ask("TaskGet", { taskId })).text,
    list: async (session?: string) => (await ask("TaskList", {}, session)).text,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("task tools > an item is created, read, changed, listed and deleted", async () => {
  using here = desk();
  expect(await here.list()).toBe("The to-do list is empty");
  const metadata = { report: 12 };
  expect((await here.create("Fix it", { activeForm: "Fixing it", metadata })).text)
    .toBe("Added to-do item 1: Fix it");
  await here.create("Test it");
  expect((await here.update("1", { status: "in_progress", owner: "ada" })).text).toBe(
    "Changed to-do item 1: Fix it\n- owner\n- status: pending → in_progress",
  );
  expect((await here.update("#1", { addBlocks: ["2"] })).text).toContain("- blocks");
  expect(await here.list()).toBe(
    "The to-do list has 2 items\n1  in_progress  Fix it (owner: ada)\n" +
      "2  pending  Test it (waits for 1)",
  );
  expect(await here.get("1")).toBe(
    "1  in_progress  Fix it\ndescription: Fix it in full\nactiveForm: Fixing it\nowner: ada\n" +
      'blocks: 2\nmetadata: {"report":12}',
  );
  expect(await here.get("2")).toContain("\nblockedBy: 1\nstill open of blockedBy: 1");
  expect((await here.update("1", { status: "in_progress" })).text).toContain("Nothing changed");
  const changed = await here.update("1", {
    ...{ subject: "Fix all", description: "Fix every bug", activeForm: "Fixing all" },
    ...{ status: "completed", metadata: { report: null, done: true } },
  });
  for (const field of ["subject", "description", "activeForm", "metadata"]) {
    expect(changed.text).toContain(`- ${field}`);
  }
  expect(await here.get("1")).toContain('metadata: {"done":true}');
  expect(await here.list()).toContain("2  pending  Test it");
  expect(await here.list()).not.toContain("waits for");
  expect((await here.update("1", { status: "deleted" })).text)
    .toBe("Deleted to-do item 1: Fix all");
  expect(await here.get("2")).not.toContain("blockedBy");
  // An id is never used twice.
  await here.update("2", { status: "deleted" });
  expect((await here.create("Next")).text).toBe("Added to-do item 3: Next");
});

Deno.test("task tools > they and TodoWrite work on the same list", async () => {
  using here = desk();
  await here.create("a", { metadata: { kept: 1 } });
  const item = (content: string, status: string) => ({ content, status, activeForm: content });
  const todos = [item("b", "in_progress"), item("a", "completed")];
  const written = await here.ask("TodoWrite", { todos });
  expect(written.text).toBe(
    "The to-do list has 2 items: 1 completed, 1 in progress, 0 pending\n" +
      '- added "b" (in progress)\n- "a": pending → completed',
  );
  expect(await here.list()).toBe(
    "The to-do list has 2 items\n2  in_progress  b\n1  completed  a",
  );
  expect(await here.get("1")).toContain(
    'description: a in full\nactiveForm: a\nmetadata: {"kept":1}',
  );
  await here.update("2", { status: "completed" });
  expect((await here.ask("TodoWrite", { todos: [item("a", "completed")] })).text)
    .toContain('- removed "b" (completed)');
  expect((await here.ask("TodoWrite", { todos: [] })).text).toContain("The to-do list is empty");
  expect(await here.list()).toBe("The to-do list is empty");
});

Deno.test("task tools > the items of an older version, which have no ids, get ids", async () => {
  using here = desk();
  const state = new State(here.path, "one");
  const todos = ["a", "b"].map((content) => ({ content, status: "pending", activeForm: content }));
  state.values.set({ space: "tool TodoWrite", session: "one" }, "todos", { value: todos });
  state.close();
  expect(await here.list()).toBe("The to-do list has 2 items\n1  pending  a\n2  pending  b");
  expect((await here.create("c")).text).toBe("Added to-do item 3: c");
  await here.update("1", { status: "completed" });
  expect(await here.get("1")).toContain("1  completed  a");
});

Deno.test("task tools > each session has its own list", async () => {
  using here = desk();
  await here.create("mine");
  expect((await here.create("yours", {}, "two")).text).toBe("Added to-do item 1: yours");
  expect(await here.list()).toContain("mine");
  expect(await here.list("two")).not.toContain("mine");
});

Deno.test("task tools > each item gets its own id when many processes create items at once", async () => {
  using here = desk();
  const subjects = Array.from({ length: 12 }, (_, at) => `item ${at}`);
  const texts = await Promise.all(subjects.map(async (each) => (await here.create(each)).text));
  const ids = texts.map((text) => Number(/^Added to-do item (\d+): /.exec(text)?.[1]));
  expect(ids.sort((a, b) => a - b)).toEqual(subjects.map((_, at) => at + 1));
  const list = await here.list();
  for (const subject of subjects) expect(list).toMatch(new RegExp(`  ${subject}$`, "m"));
});

Deno.test("task tools > wrong arguments and unknown items are refused, and nothing changes", async () => {
  using here = desk();
  await here.create("a");
  await here.create("b");
  const before = await here.list();
  const invalid: [name: string, args: Args, says: string][] = [
    ["TaskCreate", { subject: "a" }, "/description: required"],
    ["TaskCreate", { subject: "", description: "a" }, "/subject"],
    ["TaskCreate", { subject: "a", description: "b", state: "done" }, "state"],
    ["TaskGet", {}, "/taskId: required"],
    ["TaskUpdate", { taskId: "1", status: "done" }, "/status"],
    ["TaskUpdate", { taskId: "1", addBlocks: [{}] }, "/addBlocks/0"],
    ["TaskList", { all: true }, "all"],
  ];
  const refused = await here.askAll(invalid.map(([name, args]) => ({ name, arguments: args })));
  for (const [at, [name, , says]] of invalid.entries()) {
    const { exit, text } = refused[at]!;
    expect({ name, exit }).toEqual({ name, exit: 5 });
    expect(text).toContain(says);
  }
  const failing: [args: Args, says: string][] = [
    [{ taskId: "7", status: "completed" }, 'Cannot find the to-do item "7"; TaskList lists'],
    [{ taskId: "1", status: "completed", addBlocks: ["7"] }, 'Cannot find the to-do item "7"'],
    [{ taskId: "1", addBlockedBy: ["1"] }, "it would wait for itself"],
    [{ taskId: "1", addBlocks: ["2"], addBlockedBy: ["2"] }, "it would wait for itself"],
  ];
  const failed = await here.askAll(
    failing.map(([args]) => ({ name: "TaskUpdate", arguments: args })),
  );
  for (const [at, [, says]] of failing.entries()) {
    const { exit, text } = failed[at]!;
    expect(exit).toBe(1);
    expect(text).toContain(says);
  }
  expect((await here.ask("TaskGet", { taskId: "7" })).exit).toBe(1);
  expect(await here.list()).toBe(before);
});

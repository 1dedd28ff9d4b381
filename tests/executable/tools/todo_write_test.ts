import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

const item = (content: string, status = "pending") => ({ content, status, activeForm: "x" });

Deno.test("to-do list > the result lists the changes", async () => {
  using directory = temporaryDirectory();
  const write = async (todos: unknown[]) =>
    (await call("TodoWrite", { todos }, { flags: [`--state-dir=${directory.path}`] })).text;
  expect(await write([item("a"), item("b", "in_progress")])).toBe(
    "The to-do list has 2 items: 0 completed, 1 in progress, 1 pending\n" +
      '- added "a" (pending)\n- added "b" (in progress)',
  );
  expect(await write([item("b", "completed"), item("c")])).toBe(
    "The to-do list has 2 items: 1 completed, 0 in progress, 1 pending\n" +
      '- "b": in progress → completed\n- added "c" (pending)\n- removed "a" (pending)',
  );
  expect(await write([item("b", "completed"), item("c")])).toContain("- nothing changed");
  expect(await write([item("c"), item("c")])).toContain('- added "c" (pending)\n- removed "b"');
  expect(await write([])).toContain("The to-do list is empty");
});

Deno.test("to-do list > two items in progress are refused, and the list is unchanged", async () => {
  using directory = temporaryDirectory();
  const write = (todos: unknown[]) =>
    call("TodoWrite", { todos }, { flags: [`--state-dir=${directory.path}`] });
  await write([item("a")]);
  const { exit, text } = await write([item("b", "in_progress"), item("c", "in_progress")]);
  expect(exit).toBe(5);
  expect(text).toContain('"b", "c"');
  expect((await write([item("a")])).text).toContain("nothing changed");
});

Deno.test("to-do list > every invalid field of an item is reported with its path", async () => {
  const { exit, text } = await call("TodoWrite", {
    todos: [{ content: "", status: "done" }, {
      content: "a",
      status: "pending",
      activeForm: "x",
      id: 1,
    }],
  });
  expect(exit).toBe(5);
  for (
    const path of ["/todos/0/content", "/todos/0/status", "/todos/0/activeForm", "/todos/1/id"]
  ) {
    expect(text).toContain(`- ${path}: `);
  }
});

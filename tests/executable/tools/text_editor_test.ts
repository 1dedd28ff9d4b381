/** Anthropic's text editor in the executable: permissions, and the edits that can be undone. */
import { expect } from "@std/expect";
import { call, temporaryDirectory, toolcall } from "../../support/executable.ts";

/** A project with a file, and a state directory beside it. */
function setUp() {
  const directory = temporaryDirectory();
  const path = Deno.realPathSync(directory.path);
  const [project, state] = [`${path}/project`, `${path}/state`];
  Deno.mkdirSync(project);
  const file = `${project}/f`;
  Deno.writeTextFileSync(file, "a\nb\n");
  const flags = [`--state-dir=${state}`, `--allow-read=${project}`, `--allow-write=${project}`];
  return {
    ...{ path, project, state, file, flags },
    edit: (input: Record<string, unknown>, given: string[] = flags) =>
      call("str_replace_editor", { path: file, ...input }, { flags: given, cwd: project }),
    text: () => Deno.readTextFileSync(file),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const change = { command: "str_replace", old_str: "a", new_str: "secret" };
const undo = { command: "undo_edit" };

Deno.test("text editor > each version needs the permissions of its paths", async () => {
  using here = setUp();
  for (const name of ["str_replace_editor", "str_replace_based_edit_tool"]) {
    const run = (input: Record<string, unknown>, flags: string[]) =>
      call(name, { path: here.file, ...input }, {
        flags: [`--state-dir=${here.state}`, ...flags],
        cwd: here.project,
      });
    const [read, write] = [`--allow-read=${here.project}`, `--allow-write=${here.project}`];
    expect((await run({ command: "view" }, [])).exit).toBe(6);
    expect((await run({ command: "view" }, [read])).text).toContain("     1\ta\n");
    expect((await run({ ...change, new_str: "a" }, [read])).exit).toBe(6);
    expect((await run({ ...change, new_str: "a" }, [write])).exit).toBe(6);
    const made = { command: "create", path: `${here.project}/${name}/new`, file_text: "x" };
    expect((await run(made, [read])).exit).toBe(6);
    expect((await run(made, [write])).text).toContain("File created successfully at:");
    const outside = await run({ command: "view", path: "/etc/passwd" }, [read, write]);
    expect(outside.exit).toBe(6);
  }
  const unknown = await call("str_replace_based_edit_tool", { path: here.file, ...undo }, {
    flags: here.flags,
  });
  expect(unknown.exit).toBe(5);
});

Deno.test("text editor > an edit is undone by a later call of the same session only", async () => {
  using here = setUp();
  expect((await here.edit(change)).isError).toBe(false);
  expect(here.text()).toBe("secret\nb\n");
  const other = await here.edit(undo, [...here.flags, "--session=other"]);
  expect(other.text).toBe(`No edit history found for ${here.file}.`);
  const reading = [`--state-dir=${here.state}`, `--allow-read=${here.project}`];
  expect((await here.edit(undo, reading)).exit).toBe(6);
  const undone = await here.edit(undo);
  expect(undone.text).toContain(`Last edit to ${here.file} undone successfully.`);
  expect(here.text()).toBe("a\nb\n");
  expect((await here.edit(undo)).text).toContain("No edit history found");
});

Deno.test("text editor > a process that answers many calls can undo edits too", async () => {
  using here = setUp();
  const stdin = [change, { command: "insert", insert_line: 0, new_str: "x" }, undo, undo].map(
    (input, id) => {
      const args = { path: here.file, ...input };
      return `${JSON.stringify({ id: `${id}`, name: "str_replace_editor", arguments: args })}\n`;
    },
  ).join("");
  const options = { stdin, cwd: here.project };
  const { stdout } = await toolcall(["submit", "--jobs=1", ...here.flags], options);
  expect(stdout.match(/undone successfully/g)).toHaveLength(2);
  expect(here.text()).toBe("a\nb\n");
});

Deno.test("text editor > no call can read or write the stored edits", async () => {
  using here = setUp();
  await here.edit({ ...change, old_str: "b", new_str: "c" });
  const edits = `${here.state}/edits`;
  const [record] = [...Deno.readDirSync(edits)].map(({ name }) => `${edits}/${name}`);
  expect(Deno.statSync(edits).mode! & 0o777).toBe(0o700);
  expect(Deno.statSync(record!).mode! & 0o777).toBe(0o600);
  const wide = [`--state-dir=${here.state}`, "--allow-read", "--allow-write", "--allow-run=bash"];
  const run = (name: string, args: Record<string, unknown>) =>
    call(name, args, { flags: wide, cwd: here.project });
  for (const path of [record!, edits]) {
    const viewed = await run("str_replace_based_edit_tool", { command: "view", path });
    expect([path, viewed.exit]).toEqual([path, 6]);
  }
  expect((await run("Read", { file_path: record })).exit).toBe(6);
  expect((await run("Write", { file_path: record, content: "[]" })).exit).toBe(6);
  const listed = await run("Bash", { command: `cat '${record}' || echo refused` });
  expect(listed.text).not.toContain('"after"');
});

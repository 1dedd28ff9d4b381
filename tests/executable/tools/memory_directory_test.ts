/** The memory tool in the executable: its directory, its permissions, and tools of the same name. */
import { expect } from "@std/expect";
import {
  call,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../support/executable.ts";
import { trustFile } from "../../support/trust.ts";

/** A memory directory with a file, beside a file that no call may reach. */
function setUp() {
  const directory = temporaryDirectory();
  const path = Deno.realPathSync(directory.path);
  const memory = `${path}/memory`;
  Deno.mkdirSync(`${memory}/d/deep`, { recursive: true });
  Deno.writeTextFileSync(`${memory}/notes.txt`, "Likes tea\n");
  Deno.writeTextFileSync(`${memory}/d/deep/a`, "a");
  Deno.writeTextFileSync(`${path}/outside`, "secret");
  const flag = `--memory-dir=${memory}`;
  const flags = [flag, `--allow-read=${memory}`, `--allow-write=${memory}`];
  return {
    ...{ path, memory, flag, flags },
    call: (input: Record<string, unknown>, given: string[] = flags) =>
      call("memory", input, { flags: given, cwd: path }),
    names: (at = "") => [...Deno.readDirSync(`${memory}${at}`)].map(({ name }) => name).sort(),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const view = { command: "view", path: "/memories/notes.txt" };
const create = { command: "create", path: "/memories/new/a.txt", file_text: "text" };

Deno.test("memory > the flag of the directory grants nothing, and calls need permissions for its real path", async () => {
  using here = setUp();
  const refused = await here.call(view, [here.flag]);
  expect(refused.exit).toBe(6);
  expect(refused.text).toContain(`needs --allow-read=${here.memory}/notes.txt`);
  const reading = [here.flag, `--allow-read=${here.memory}`];
  expect((await here.call(view, reading)).text).toBe(
    "Here's the content of /memories/notes.txt with line numbers:\n     1\tLikes tea\n     2\t",
  );
  expect((await here.call(create, reading)).exit).toBe(6);
  expect((await here.call(create)).text).toBe("File created successfully at: /memories/new/a.txt");
  expect(here.names("/new")).toEqual(["a.txt"]);
  const denied = [...here.flags, `--deny-read=${here.memory}/notes.txt`];
  expect((await here.call(view, denied)).exit).toBe(6);
  const none = await here.call(view, [`--allow-read=${here.memory}`]);
  expect(none.exit).toBe(8);
  expect(none.text).toContain("start toolcall with --memory-dir=DIR");
});

Deno.test("memory > every command works under the kernel's sandbox", async () => {
  using here = setUp();
  const at = "/memories";
  const rows: [input: Record<string, unknown>, result: string][] = [
    [{ command: "view", path: at }, `10B\t${at}/notes.txt`],
    [{ command: "str_replace", path: `${at}/notes.txt`, old_str: "tea", new_str: "cake" }, "cake"],
    [{ command: "insert", path: `${at}/notes.txt`, insert_line: 0, insert_text: "x" }, "edited"],
    [{ command: "rename", old_path: `${at}/d`, new_path: `${at}/new/e` }, "Successfully renamed"],
    [{ command: "rename", old_path: `${at}/notes.txt`, new_path: `${at}/b/c` }, "Successfully"],
    [{ command: "delete", path: `${at}/new` }, `Successfully deleted ${at}/new`],
    [{ command: "delete", path: `${at}/b/c` }, `Successfully deleted ${at}/b/c`],
  ];
  for (const [input, result] of rows) {
    const { text, isError } = await here.call(input);
    expect([input.command, isError, text.includes(result) || text])
      .toEqual([input.command, false, true]);
  }
  expect(here.names()).toEqual(["b"]);
});

Deno.test("memory > commands work in a process that answers many calls", async () => {
  using here = setUp();
  const inputs = [
    { command: "create", path: "/memories/x/a", file_text: "one" },
    { command: "rename", old_path: "/memories/x", new_path: "/memories/y/z" },
    { command: "delete", path: "/memories/d" },
    { command: "delete", path: "/memories/y" },
    { command: "view", path: "/memories/../outside" },
    { command: "view", path: "/memories" },
  ];
  const stdin = inputs.map((input, id) =>
    `${JSON.stringify({ id: `${id}`, name: "memory", arguments: input })}\n`
  );
  const { stdout, stderr } = await toolcall(["submit", "--jobs=1", ...here.flags], {
    stdin: stdin.join(""),
    cwd: here.path,
  });
  const results = stdout.trim().split("\n").map((line) => JSON.parse(line) as Result);
  expect(stderr).not.toContain("at file:");
  const texts = results.map(({ content }) => content[0]!.text);
  expect(texts.slice(0, 4)).toEqual([
    "File created successfully at: /memories/x/a",
    "Successfully renamed /memories/x to /memories/y/z",
    "Successfully deleted /memories/d",
    "Successfully deleted /memories/y",
  ]);
  expect(texts[4]).toContain('Invalid path "/memories/../outside"');
  expect(here.names()).toEqual(["notes.txt"]);
});

Deno.test("memory > P17 a symlink in the directory is not followed out of it, even if the flags allow its target", async () => {
  using here = setUp();
  Deno.symlinkSync(`${here.path}/outside`, `${here.memory}/link`);
  Deno.symlinkSync(here.path, `${here.memory}/up`);
  const wide = [here.flag, `--allow-read=${here.path}`, `--allow-write=${here.path}`];
  for (const path of ["link", "up/outside", "up/new"]) {
    const at = `/memories/${path}`;
    const inputs = [
      { command: "view", path: at },
      { command: "create", path: at, file_text: "planted" },
      { command: "str_replace", path: at, old_str: "secret", new_str: "x" },
      { command: "insert", path: at, insert_line: 0, insert_text: "x" },
      { command: "delete", path: at },
      { command: "rename", old_path: at, new_path: "/memories/taken" },
      { command: "rename", old_path: "/memories/notes.txt", new_path: at },
    ];
    for (const input of inputs) {
      const { isError, text } = await here.call(input, wide);
      expect([path, input.command, isError]).toEqual([path, input.command, true]);
      expect(text).not.toContain("secret");
    }
  }
  expect(Deno.readTextFileSync(`${here.path}/outside`)).toBe("secret");
  expect([...Deno.readDirSync(here.path)].map(({ name }) => name).sort())
    .toEqual(["memory", "outside"]);
  expect(here.names()).toEqual(["d", "link", "notes.txt", "up"]);
});

Deno.test("memory > P17 a denied path in a directory is neither removed nor renamed with it", async () => {
  using here = setUp();
  const flags = [...here.flags, `--deny-write=${here.memory}/d/deep/a`];
  for (
    const input of [
      { command: "delete", path: "/memories/d" },
      { command: "rename", old_path: "/memories/d", new_path: "/memories/e" },
    ]
  ) {
    const { isError, text } = await here.call(input, flags);
    expect(isError).toBe(true);
    expect(text).toContain("Permission denied");
  }
  expect(Deno.readTextFileSync(`${here.memory}/d/deep/a`)).toBe("a");
});

Deno.test("memory > P17 the flag refuses a directory behind a symlink that a call could have made", async () => {
  using here = setUp();
  Deno.mkdirSync(`${here.path}/open`);
  Deno.symlinkSync(here.memory, `${here.path}/open/link`);
  const flags = [`--memory-dir=${here.path}/open/link`, `--allow-write=${here.path}/open`];
  const { code, stderr } = await toolcall([...flags, "memory", JSON.stringify(view)], {
    cwd: here.path,
  });
  expect(code).toBe(2);
  expect(stderr).toContain("goes through the symbolic link");
});

Deno.test("vendor tools > they are called by name, and listed only when they are named", async () => {
  using here = setUp();
  const names = ["memory", "str_replace_based_edit_tool", "str_replace_editor"];
  const listed = async (...args: string[]) => {
    const { stdout } = await toolcall(["list", "--format=json", ...args], { cwd: here.path });
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
  };
  const all = await listed();
  expect(all).toContain("Edit");
  expect(all.filter((name) => names.includes(name))).toEqual([]);
  expect(await listed(...names)).toEqual(names);
  expect((await toolcall(["describe", "memory"], { cwd: here.path })).stdout).toContain(
    "/memories",
  );
  const block = { type: "tool_use", id: "toolu_1", name: "memory", input: view };
  const { stdout } = await toolcall(["--format=anthropic", ...here.flags], {
    cwd: here.path,
    stdin: JSON.stringify(block),
  });
  expect(JSON.parse(stdout)).toMatchObject({ type: "tool_result", tool_use_id: "toolu_1" });
  expect(stdout).toContain("Likes tea");
  const without = await here.call(view, [...here.flags, "--bundle=read_only"]);
  expect(without.exit).toBe(4);
  expect(without.text).toContain("is disabled");
});

Deno.test("vendor tools > a configured tool of the same name takes precedence", async () => {
  using here = setUp();
  const command = {
    description: "A memory of this project",
    run: ["printf", "the project's own"],
    inputSchema: { type: "object", properties: {} },
  };
  Deno.writeTextFileSync(
    `${here.path}/toolcall.json`,
    JSON.stringify({ commands: { memory: command } }),
  );
  trustFile(`${here.path}/toolcall.json`);
  const { stdout } = await toolcall(["list", "--format=json"], { cwd: here.path });
  expect(stdout).toContain("A memory of this project");
  expect((await toolcall(["config", "check"], { cwd: here.path })).code).toBe(0);
  const run = await toolcall(["--allow-run=printf", "memory", "{}"], { cwd: here.path });
  expect((oneLine(run) as Result).content[0]!.text).toContain("the project's own");
});

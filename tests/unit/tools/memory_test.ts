/** The commands of Anthropic's memory tool with their documented results, and hostile paths. */
import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import { realPath } from "../../../src/runner/sandbox/policy/paths.ts";
import memory from "../../../tools/memory.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

type Input = Record<string, unknown>;

/** A memory directory with files, beside a file that no call may reach. */
function place(files: Readonly<Record<string, string>>) {
  const directory = scratchDirectory();
  const root = `${directory.path}/memory`;
  Deno.writeTextFileSync(`${directory.path}/outside`, "secret");
  for (const [path, text] of Object.entries(files)) {
    const whole = `${root}/${path}`;
    Deno.mkdirSync(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(whole, text);
  }
  return {
    root,
    outside: directory.path,
    read: (path: string) => Deno.readTextFileSync(`${root}/${path}`),
    has(path: string) {
      try {
        return Deno.lstatSync(`${root}/${path}`) !== undefined;
      } catch {
        return false;
      }
    },
    async call(input: Input, mayWrite: (path: string) => boolean = () => true): Promise<string> {
      const args = input as never;
      const general = contextFor(directory.path, { memoryDirectory: root, mayWrite });
      const context = { ...general, path: realPath };
      try {
        checkedNeeds(memory, args, directory.path, { "memory.directory": root });
        return await memory.run(args, context) as string;
      } catch (error) {
        return (error as Error).message;
      }
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const m = "/memories";
const missing = `The path ${m}/x does not exist`;
const listed = (path: string, ...lines: string[]) =>
  `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and ` +
  `node_modules:\n${lines.join("\n")}`;
const shown = (path: string, ...lines: string[]) =>
  `Here's the content of ${path} with line numbers:\n${lines.join("\n")}`;

/** A row: the files before, the call, its result, and the content of `a.txt` afterwards. */
type Row = [
  name: string,
  files: Readonly<Record<string, string>>,
  input: Input,
  result: string,
  after?: string,
];

const rows: Row[] = [
  ["view a file", { "a.txt": "Hello World\nThis is line two\n" }, {
    command: "view",
    path: `${m}/a.txt`,
  }, shown(`${m}/a.txt`, "     1\tHello World", "     2\tThis is line two", "     3\t")],
  ["view a range", { "a.txt": "a\nb\nc\n" }, {
    command: "view",
    path: `${m}/a.txt`,
    view_range: [2, 2],
  }, shown(`${m}/a.txt`, "     2\tb")],
  ["view a range to the end", { "a.txt": "a\nb\nc" }, {
    command: "view",
    path: `${m}/a.txt`,
    view_range: [2, -1],
  }, shown(`${m}/a.txt`, "     2\tb", "     3\tc")],
  [
    "view a range outside the file",
    { "a.txt": "a" },
    { command: "view", path: `${m}/a.txt`, view_range: [3, 4] },
    "Invalid `view_range`: [3, 4]. Its first element `3` should be within the range of lines of " +
    "the file: [1, 1]",
  ],
  [
    "view a missing file",
    {},
    { command: "view", path: `${m}/x` },
    `${missing}. Please provide a valid path.`,
  ],
  ["view a missing memory directory", {}, { command: "view", path: m }, listed(m, `0B\t${m}`)],
  [
    "create a file",
    {},
    { command: "create", path: `${m}/a.txt`, file_text: "Notes\n" },
    `File created successfully at: ${m}/a.txt`,
    "Notes\n",
  ],
  [
    "create a file that exists",
    { "a.txt": "old" },
    { command: "create", path: `${m}/a.txt`, file_text: "new" },
    `Error: File ${m}/a.txt already exists`,
    "old",
  ],
  ["create a file where a directory is", { "d/b": "" }, {
    command: "create",
    path: `${m}/d`,
    file_text: "",
  }, `Error: File ${m}/d already exists`],
  [
    "create without file_text",
    {},
    { command: "create", path: `${m}/a.txt` },
    "Parameter `file_text` is required for command: create",
  ],
  [
    "str_replace a string",
    { "a.txt": "Color: blue\nb\n" },
    { command: "str_replace", path: `${m}/a.txt`, old_str: "blue", new_str: "green" },
    "The memory file has been edited.\n     1\tColor: green\n     2\tb\n     3\t",
    "Color: green\nb\n",
  ],
  [
    "str_replace without new_str",
    { "a.txt": "a b" },
    { command: "str_replace", path: `${m}/a.txt`, old_str: " b" },
    "The memory file has been edited.\n     1\ta",
    "a",
  ],
  [
    "str_replace a missing string",
    { "a.txt": "abc" },
    { command: "str_replace", path: `${m}/a.txt`, old_str: "zzz", new_str: "" },
    `No replacement was performed, old_str \`zzz\` did not appear verbatim in ${m}/a.txt.`,
    "abc",
  ],
  [
    "str_replace a string that occurs twice",
    { "a.txt": "a\nb\na" },
    { command: "str_replace", path: `${m}/a.txt`, old_str: "a", new_str: "" },
    "No replacement was performed. Multiple occurrences of old_str `a` in lines: 1, 3. Please " +
    "ensure it is unique",
    "a\nb\na",
  ],
  ["str_replace in a missing file", {}, {
    command: "str_replace",
    path: `${m}/x`,
    old_str: "a",
    new_str: "",
  }, `Error: ${missing}. Please provide a valid path.`],
  ["str_replace in a directory", { "x/b": "" }, {
    command: "str_replace",
    path: `${m}/x`,
    old_str: "a",
    new_str: "",
  }, `Error: ${missing}. Please provide a valid path.`],
  [
    "str_replace without old_str",
    { "a.txt": "a" },
    { command: "str_replace", path: `${m}/a.txt` },
    "Parameter `old_str` is required for command: str_replace",
  ],
  [
    "insert lines",
    { "a.txt": "a\nb\n" },
    { command: "insert", path: `${m}/a.txt`, insert_line: 1, insert_text: "- new\n" },
    `The file ${m}/a.txt has been edited.`,
    "a\n- new\nb\n",
  ],
  [
    "insert a string without a newline",
    { "a.txt": "a\nb\n" },
    { command: "insert", path: `${m}/a.txt`, insert_line: 0, insert_text: "x" },
    `The file ${m}/a.txt has been edited.`,
    "x\na\nb\n",
  ],
  [
    "insert after a missing line",
    { "a.txt": "a\n" },
    { command: "insert", path: `${m}/a.txt`, insert_line: 5, insert_text: "x" },
    "Error: Invalid `insert_line` parameter: 5. It should be within the range of lines of the " +
    "file: [0, 2]",
    "a\n",
  ],
  ["insert into a missing file", {}, {
    command: "insert",
    path: `${m}/x`,
    insert_line: 0,
    insert_text: "x",
  }, `Error: ${missing}`],
  ["insert into a directory", { "x/b": "" }, {
    command: "insert",
    path: `${m}/x`,
    insert_line: 0,
    insert_text: "x",
  }, `Error: ${missing}`],
  [
    "insert without a line",
    { "a.txt": "" },
    { command: "insert", path: `${m}/a.txt` },
    "Parameter `insert_line` is required for command: insert",
  ],
  [
    "delete a file",
    { "a.txt": "" },
    { command: "delete", path: `${m}/a.txt` },
    `Successfully deleted ${m}/a.txt`,
  ],
  [
    "delete a directory",
    { "d/b": "", "d/e/f": "", "a.txt": "stays" },
    { command: "delete", path: `${m}/d` },
    `Successfully deleted ${m}/d`,
    "stays",
  ],
  ["delete a missing file", {}, { command: "delete", path: `${m}/x` }, `Error: ${missing}`],
  [
    "delete the memory itself",
    { "a.txt": "stays" },
    { command: "delete", path: m },
    `Error: Cannot delete the ${m} directory itself`,
    "stays",
  ],
  [
    "delete the memory itself with a slash",
    { "a.txt": "stays" },
    { command: "delete", path: `${m}/` },
    `Error: Cannot delete the ${m} directory itself`,
    "stays",
  ],
  [
    "delete without a path",
    {},
    { command: "delete" },
    "Parameter `path` is required for command: delete",
  ],
  [
    "rename a file",
    { "b.txt": "b" },
    { command: "rename", old_path: `${m}/b.txt`, new_path: `${m}/a.txt` },
    `Successfully renamed ${m}/b.txt to ${m}/a.txt`,
    "b",
  ],
  [
    "rename into a new directory",
    { "a.txt": "a", "b.txt": "" },
    { command: "rename", old_path: `${m}/b.txt`, new_path: `${m}/new/deep/b.txt` },
    `Successfully renamed ${m}/b.txt to ${m}/new/deep/b.txt`,
    "a",
  ],
  [
    "rename a directory",
    { "d/b": "", "a.txt": "a" },
    { command: "rename", old_path: `${m}/d`, new_path: `${m}/e` },
    `Successfully renamed ${m}/d to ${m}/e`,
    "a",
  ],
  [
    "rename a missing file",
    {},
    { command: "rename", old_path: `${m}/x`, new_path: `${m}/a.txt` },
    `Error: ${missing}`,
  ],
  [
    "rename to an existing path",
    { "a.txt": "a", "b.txt": "b" },
    { command: "rename", old_path: `${m}/b.txt`, new_path: `${m}/a.txt` },
    `Error: The destination ${m}/a.txt already exists`,
    "a",
  ],
  ["rename a directory into itself", { "d/b": "" }, {
    command: "rename",
    old_path: `${m}/d`,
    new_path: `${m}/d/e/f`,
  }, `Error: Cannot rename ${m}/d to a path inside itself`],
  [
    "rename the memory itself",
    { "a.txt": "a" },
    { command: "rename", old_path: m, new_path: `${m}/d` },
    `Error: Cannot rename the ${m} directory itself`,
    "a",
  ],
  [
    "rename without a new path",
    { "a.txt": "a" },
    { command: "rename", old_path: `${m}/a.txt` },
    "Parameter `new_path` is required for command: rename",
    "a",
  ],
];

Deno.test("memory > each command has its documented result", async (t) => {
  for (const [name, files, input, result, after] of rows) {
    await t.step(name, async () => {
      using here = place(files);
      expect(await here.call(input)).toBe(result);
      if (after !== undefined) expect(here.read("a.txt")).toBe(after);
    });
  }
});

Deno.test("memory > a directory is listed with sizes, without hidden entries and node_modules", async () => {
  using here = place({
    ...{ "notes.txt": "x".repeat(1536), "d/b.md": "abc", ".hidden": "", "node_modules/p": "" },
    ...{ "d/deep/c": "", "d/deep/er/z": "" },
  });
  const lines = (await here.call({ command: "view", path: m })).split("\n");
  const paths = lines.slice(1).map((line) => line.split("\t")[1]);
  expect(paths).toEqual([m, ...["d/", "d/b.md", "d/deep/", "notes.txt"].map((at) => `${m}/${at}`)]);
  expect(lines).toContain(`1.5K\t${m}/notes.txt`);
  expect(lines).toContain(`3B\t${m}/d/b.md`);
  const below = await here.call({ command: "view", path: `${m}/d` });
  expect(below).toContain(`3B\t${m}/d/b.md`);
  expect(below).toContain(`\t${m}/d/deep/er/`);
});

Deno.test("memory > a renamed directory is at its new path, and a deleted one is gone", async () => {
  using here = place({ "d/b": "", "d/e/f": "text" });
  await here.call({ command: "rename", old_path: `${m}/d/e`, new_path: `${m}/g` });
  expect(here.read("g/f")).toBe("text");
  await here.call({ command: "delete", path: `${m}/d` });
  expect(here.has("d")).toBe(false);
});

/** Paths that leave the memory directory, or might. */
const hostile = [
  ...["/memories/../outside", "/memories/d/../../outside", "/memories/..", "/memories/./a"],
  ...[
    "/memories/d/..",
    "/memories//outside",
    "/memories/%2e%2e/outside",
    "/memories/%2E%2E%2foutside",
  ],
  ...["/memories%2f..%2foutside", "/memories/..%2foutside", "/memories/%252e%252e/outside"],
  ...["/memories/..\\outside", "\\memories\\a", "/memories-x/a", "/memoriesx", "/memories.txt"],
  ...["/outside", "/etc/passwd", "outside", "../outside", "memories/a", "./memories/a", ""],
  ...["/", "~/memories/a", "file:///memories/a", "/Memories/a", "//memories/a", " /memories/a"],
  ...["/memories/a\0b", "/memories/a\nb", "/memories/\u2028", "/memories/\u0085"],
  ...["/memories/..//..//outside", "/memories/.../../..", "/memories/d/./../../outside"],
  ...["/memories/%c0%ae%c0%ae/outside", "/memories/%00", "/proc/self/root/memories/a"],
];

Deno.test("memory > P17 no path leaves the directory, in any command and argument", async (t) => {
  using here = place({ "d/a": "inside" });
  const commands: [name: string, (path: string) => Input][] = [
    ["view", (path) => ({ command: "view", path })],
    ["create", (path) => ({ command: "create", path, file_text: "planted" })],
    ["str_replace", (path) => ({ command: "str_replace", path, old_str: "secret", new_str: "x" })],
    ["insert", (path) => ({ command: "insert", path, insert_line: 0, insert_text: "x" })],
    ["delete", (path) => ({ command: "delete", path })],
    ["rename from", (path) => ({ command: "rename", old_path: path, new_path: `${m}/b` })],
    ["rename to", (path) => ({ command: "rename", old_path: `${m}/d/a`, new_path: path })],
  ];
  for (const path of hostile) {
    for (const [name, input] of commands) {
      await t.step(`${name} ${JSON.stringify(path)}`, async () => {
        expect(await here.call(input(path))).toMatch(/^Invalid path "/);
      });
    }
  }
  expect(Deno.readTextFileSync(`${here.outside}/outside`)).toBe("secret");
  expect([...Deno.readDirSync(here.outside)].map(({ name }) => name).sort())
    .toEqual(["memory", "outside"]);
  expect(here.read("d/a")).toBe("inside");
});

Deno.test("memory > P17 no symlink leads out of the directory, and no target of a symlink is removed", async () => {
  using here = place({ "d/a": "inside" });
  Deno.symlinkSync(`${here.outside}/outside`, `${here.root}/file`);
  Deno.symlinkSync(here.outside, `${here.root}/up`);
  Deno.symlinkSync("../missing", `${here.root}/dangling`);
  Deno.symlinkSync("d", `${here.root}/inner`);
  const out = "a symbolic link leads out of /memories";
  for (const path of ["file", "up/outside", "up", "dangling"]) {
    const at = `${m}/${path}`;
    for (
      const input of [
        { command: "view", path: at },
        { command: "create", path: at, file_text: "planted" },
        { command: "str_replace", path: at, old_str: "secret", new_str: "x" },
        { command: "insert", path: at, insert_line: 0, insert_text: "x" },
        { command: "delete", path: at },
        { command: "rename", old_path: at, new_path: `${m}/new` },
        { command: "rename", old_path: `${m}/d`, new_path: at },
      ]
    ) {
      const said = await here.call(input);
      expect([path, input.command, said.includes(out) || said]).toEqual([
        path,
        input.command,
        true,
      ]);
    }
  }
  expect(await here.call({ command: "view", path: `${m}/inner/a` })).toContain("     1\tinside");
  expect(await here.call({ command: "delete", path: `${m}/inner` })).toContain("a symbolic link");
  expect(await here.call({ command: "view", path: m })).not.toContain("secret");
  expect(await here.call({ command: "delete", path: `${m}/d` })).toBe(
    `Successfully deleted ${m}/d`,
  );
  expect(Deno.readTextFileSync(`${here.outside}/outside`)).toBe("secret");
  expect([...Deno.readDirSync(here.outside)].map(({ name }) => name).sort())
    .toEqual(["memory", "outside"]);
});

Deno.test("memory > a directory with a symlink is deleted without the target of the link", async () => {
  using here = place({ "d/a": "" });
  Deno.symlinkSync(here.outside, `${here.root}/d/up`);
  expect(await here.call({ command: "delete", path: `${m}/d` })).toBe(
    `Successfully deleted ${m}/d`,
  );
  expect(Deno.readTextFileSync(`${here.outside}/outside`)).toBe("secret");
});

Deno.test("memory > a directory that contains a denied path is neither deleted nor renamed", async () => {
  using here = place({ "d/a": "", "d/z/denied": "kept" });
  const mayWrite = (path: string) => !path.endsWith("/denied");
  for (
    const input of [
      { command: "delete", path: `${m}/d` },
      { command: "rename", old_path: `${m}/d`, new_path: `${m}/e` },
    ]
  ) {
    expect(await here.call(input, mayWrite)).toMatch(/^Permission denied:/);
  }
  expect(here.has("d/a")).toBe(true);
  expect(here.read("d/z/denied")).toBe("kept");
});

Deno.test("memory > a call without a memory directory fails, and the error says how to set one", async () => {
  const args = { command: "view", path: m } as never;
  expect(checkedNeeds(memory, args, "/", {})).toEqual([]);
  await expect(Promise.resolve().then(() => memory.run(args, contextFor("/"))))
    .rejects.toThrow("start toolcall with --memory-dir=DIR");
});

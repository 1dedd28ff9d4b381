/** Calls with the names and arguments of other programs become valid calls of the target tools. */
import { expect } from "@std/expect";
import { compatEntries } from "../../../../src/runner/compat/compat_entries.ts";
import { compatTools } from "../../../../src/runner/compat/compat_tools.ts";
import { Registry } from "../../../../src/runner/registry/registry.ts";
import { entries } from "../../../../tools/_generated/index.ts";

type Args = Record<string, unknown>;

const registry = new Registry(entries);
registry.registerLater(() => compatEntries(registry));
registry.offer("compat");

const texts = { old_string: "b", new_string: "c" };
const grep = { pattern: "a", output_mode: "content", "-i": true };

/** A call, the name of the target tool, and the arguments for that tool. */
const rewritten: [name: string, args: Args, target: string, expected: Args][] = [
  ["BashOutput", { bash_id: "t", filter: "x" }, "TaskOutput", { task_id: "t", block: false }],
  ["KillBash", { shell_id: "t" }, "TaskStop", { task_id: "t" }],
  ["MultiEdit", { file_path: "a", edits: [{ old_string: "b", new_string: "c" }] }, "Edit", {
    ...{ file_path: "/app/a", edits: [{ old_string: "b", new_string: "c" }] },
  }],
  ["LS", { path: "/a", ignore: ["*.log"] }, "file", { action: "list", path: "/a" }],
  ["NotebookRead", { notebook_path: "a.ipynb" }, "Read", { file_path: "/app/a.ipynb" }],
  ["read_file", { file_path: "a" }, "Read", { file_path: "/app/a", offset: 1 }],
  ["read_file", { absolute_path: "/a/../b" }, "Read", { file_path: "/b", offset: 1 }],
  ["read_file", { path: "/a", offset: 9, limit: 2 }, "Read", {
    ...{ file_path: "/a", offset: 10, limit: 2 },
  }],
  ["read_file", { file_path: "/a", start_line: 3, end_line: 5 }, "Read", {
    ...{ file_path: "/a", offset: 3, limit: 3 },
  }],
  ["write_file", { file_path: "a/b", content: "" }, "Write", {
    ...{ file_path: "/app/a/b", content: "" },
  }],
  ["write_file", { path: "/b", content: "c" }, "Write", { file_path: "/b", content: "c" }],
  ["list_directory", { dir_path: ".", respect_git_ignore: true }, "file", {
    ...{ action: "list", path: "." },
  }],
  ["list_directory", { path: "/a", file_filtering_options: {} }, "file", {
    ...{ action: "list", path: "/a" },
  }],
  ["run_shell_command", { command: "ls", description: "List" }, "Bash", {
    ...{ command: "ls", description: "List" },
  }],
  ["run_shell_command", { command: "ls", dir_path: "it's; true" }, "Bash", {
    command: "cd -- 'it'\\''s; true' || exit\nls",
  }],
  ["run_shell_command", { command: "ls", directory: "a", is_background: true }, "Bash", {
    ...{ command: "cd -- 'a' || exit\nls", run_in_background: true },
  }],
  ["run_shell_command", { command: "ls", is_background: false }, "Bash", { command: "ls" }],
  ["replace", { file_path: "a", old_string: "b", new_string: "c", instruction: "d" }, "Edit", {
    ...{ file_path: "/app/a", old_string: "b", new_string: "c", replace_all: false },
  }],
  [
    "replace",
    {
      ...{ file_path: "/a", old_string: "b", new_string: "c", allow_multiple: true },
    },
    "Edit",
    { file_path: "/a", old_string: "b", new_string: "c", replace_all: true },
  ],
  [
    "replace",
    {
      ...{ file_path: "/a", old_string: "b", new_string: "c", expected_replacements: 2 },
    },
    "Edit",
    { file_path: "/a", edits: [{ ...texts, replace_all: true, expected_replacements: 2 }] },
  ],
  ["replace", { file_path: "/a", ...texts, expected_replacements: 1 }, "Edit", {
    ...{ file_path: "/a", edits: [{ ...texts, replace_all: false, expected_replacements: 1 }] },
  }],
  [
    "replace",
    { file_path: "/a", old_string: "", new_string: "c", expected_replacements: 1 },
    "Edit",
    {
      ...{ file_path: "/a", old_string: "", new_string: "c", replace_all: false },
    },
  ],
  ["MultiEdit", { file_path: "/a", edits: [{ ...texts, expected_replacements: 3 }] }, "Edit", {
    ...{ file_path: "/a", edits: [{ ...texts, replace_all: true, expected_replacements: 3 }] },
  }],
  ["search_file_content", { pattern: "a" }, "Grep", grep],
  ["search_file_content", { pattern: "a(.b", fixed_strings: true, case_sensitive: true }, "Grep", {
    ...{ ...grep, pattern: "a\\(\\.b", "-i": false },
  }],
  [
    "search_file_content",
    {
      ...{ pattern: "a", path: "src", include: "*.ts", names_only: true, total_max_matches: 5 },
      ...{ context: 1, before: 2, after: 3, no_ignore: true },
    },
    "Grep",
    {
      ...{ ...grep, path: "src", glob: "*.ts", output_mode: "files_with_matches" },
      ...{ "-C": 1, "-B": 2, "-A": 3, head_limit: 5 },
    },
  ],
];

for (const [name, args, target, expected] of rewritten) {
  Deno.test(`compat > ${name} ${JSON.stringify(args)} is a valid call of ${target}`, async () => {
    const tool = await registry.get(name).load();
    const given = structuredClone(args);
    expect([tool.validate(given), tool.validate.errors]).toEqual([true, null]);
    const call = tool.standsFor!(given, "/app");
    expect(call).toEqual({ tool: target, args: expected });
    const { validate } = await registry.get(target).load();
    expect([validate(structuredClone(call.args)), validate.errors]).toEqual([true, null]);
  });
}

Deno.test("compat > arguments that contradict each other are refused", async () => {
  const wrong: [name: string, args: Args, says: string][] = [
    ["read_file", {}, "/file_path: required"],
    ["read_file", { path: "a", file_path: "b" }, "/path: must not be given together with"],
    ["read_file", { path: "a", start_line: 5, end_line: 4 }, "/end_line: must be at least 5"],
    ["write_file", { content: "a" }, "/file_path: required"],
    ["list_directory", {}, "/dir_path: required"],
    ["run_shell_command", { command: "ls", dir_path: "a", directory: "b" }, "/directory"],
    ["search_file_content", { pattern: "a", include: "b", include_pattern: "c" }, "/include"],
  ];
  for (const [name, args, says] of wrong) {
    const tool = await registry.get(name).load();
    expect(tool.validate(args)).toBe(true);
    expect(() => tool.standsFor!(args, "/app")).toThrow(says);
  }
});

Deno.test("compat > every tool has a description, and its ignored arguments are in its schema", async () => {
  const listed = (await registry.list()).filter(({ offered }) => offered === "compat");
  expect(listed.map(({ name }) => name).sort()).toEqual(Object.keys(compatTools).sort());
  for (const { name, description = "", inputSchema, ignores = [], permissionKinds } of listed) {
    expect({ name, isShort: description.length <= 600, ends: description.endsWith(".") })
      .toEqual({ name, isShort: true, ends: true });
    const properties = Object.keys(inputSchema["properties"] as Args);
    expect(ignores.filter((each) => !properties.includes(each))).toEqual([]);
    const { metadata } = await registry.get(compatTools[name]!.target).load();
    expect(permissionKinds.filter((kind) => !metadata.permissionKinds.includes(kind))).toEqual([]);
  }
});

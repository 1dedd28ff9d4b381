/** The commands of Anthropic's text editor, each with the result of the reference editor. */
import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import { EditHistory } from "../../../src/runner/state/edit_history.ts";
import type { Serve } from "../../../src/runner/sandbox/executors/executor.ts";
import newEditor from "../../../tools/str_replace_based_edit_tool.ts";
import oldEditor from "../../../tools/str_replace_editor.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

type Input = Record<string, unknown>;

/** Serves the edits of one session, as the engine does. */
function serveEdits(state: string, session: string): Serve {
  const history = new EditHistory(state, session);
  return async (service, args) => {
    const [file, edit] = args as [string, Parameters<EditHistory["push"]>[1]];
    if (service === "edits.push") return await history.push(file, edit);
    return service === "edits.last" ? await history.last(file) : await history.drop(file);
  };
}

/** Calls an editor as the engine does. Returns its text, or the message of its error. */
async function call(
  tool: typeof newEditor | typeof oldEditor,
  input: Input,
  { root, session = "s" }: { root: string; session?: string },
): Promise<string> {
  const args = input as never;
  const context = contextFor(root, { serve: serveEdits(`${root}/../state`, session) });
  try {
    checkedNeeds(tool, args, root, {});
    return await tool.run(args, context) as string;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A directory with files, by their paths. The state is beside it. */
function place(files: Readonly<Record<string, string>>) {
  const directory = scratchDirectory();
  const root = `${directory.path}/root`;
  Deno.mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, text);
  }
  return {
    root,
    read: (path: string) => Deno.readTextFileSync(`${root}/${path}`),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const five = "one\ntwo\nthree\nfour\nfive\n";
const cat = (path: string, ...lines: string[]) =>
  `Here's the result of running \`cat -n\` on ${path}:\n${lines.join("\n")}\n`;
const tail = "Edit the file again if necessary.";
const checked = `Review the changes and make sure they are as expected. ${tail}`;
const checkedLines = "Review the changes and make sure they are as expected (correct " +
  `indentation, no duplicate lines, etc). ${tail}`;

/** A row: the file before, the call without its path, its result, and the file afterwards. `$` is the directory. */
type Row = [name: string, text: string | undefined, input: Input, result: string, after?: string];

const rows: Row[] = [
  [
    "view a file",
    five,
    { command: "view" },
    cat("$/f", ...[
      ...[
        "     1\tone",
        "     2\ttwo",
        "     3\tthree",
        "     4\tfour",
        "     5\tfive",
        "     6\t",
      ],
    ]),
  ],
  ["view a file without a last newline", "a", { command: "view" }, cat("$/f", "     1\ta")],
  ["view an empty file", "", { command: "view" }, cat("$/f", "     1\t")],
  ["view lines with tabs, which stay", "\ta\tb", { command: "view" }, cat("$/f", "     1\t\ta\tb")],
  [
    "view CRLF lines without the return",
    "a\r\nb\r\n",
    { command: "view" },
    cat("$/f", ...[
      ...["     1\ta", "     2\tb", "     3\t"],
    ]),
  ],
  [
    "view a range",
    five,
    { command: "view", view_range: [2, 3] },
    cat("$/f", ...[
      ...["     2\ttwo", "     3\tthree"],
    ]),
  ],
  [
    "view from a line to the end",
    five,
    { command: "view", view_range: [5, -1] },
    cat("$/f", ...[
      ...["     5\tfive", "     6\t"],
    ]),
  ],
  ["view one line", five, { command: "view", view_range: [1, 1] }, cat("$/f", "     1\tone")],
  [
    "view an empty range, which is ignored",
    "a",
    { command: "view", view_range: [] },
    cat("$/f", "     1\ta"),
  ],
  [
    "view a range of one number",
    five,
    { command: "view", view_range: [1] },
    "Invalid `view_range`. It should be a list of two integers.",
  ],
  [
    "view a range of three numbers",
    five,
    { command: "view", view_range: [1, 2, 3] },
    "Invalid `view_range`. It should be a list of two integers.",
  ],
  [
    "view from line 0",
    five,
    { command: "view", view_range: [0, 2] },
    "Invalid `view_range`: [0, 2]. Its first element `0` should be within the range of lines of " +
    "the file: [1, 6]",
  ],
  [
    "view from beyond the end",
    five,
    { command: "view", view_range: [7, 8] },
    "Invalid `view_range`: [7, 8]. Its first element `7` should be within the range of lines of " +
    "the file: [1, 6]",
  ],
  [
    "view to beyond the end",
    five,
    { command: "view", view_range: [2, 9] },
    "Invalid `view_range`: [2, 9]. Its second element `9` should be smaller than the number of " +
    "lines in the file: `6`",
  ],
  [
    "view a reversed range",
    five,
    { command: "view", view_range: [4, 2] },
    "Invalid `view_range`: [4, 2]. Its second element `2` should be larger or equal than its " +
    "first `4`",
  ],
  [
    "view to line -2",
    five,
    { command: "view", view_range: [4, -2] },
    "Invalid `view_range`: [4, -2]. Its second element `-2` should be larger or equal than its " +
    "first `4`",
  ],
  [
    "view up to max_characters, whole lines",
    five,
    { command: "view", max_characters: 9 },
    cat("$/f", ...[
      ...["     1\tone", "     2\ttwo"],
      "<response clipped><NOTE>Lines 1 to 2 of 6 are shown, because at most 9 characters are. " +
      "Use view_range to see others, such as [3, -1].</NOTE>",
    ]),
  ],
  [
    "view a long line up to max_characters",
    "abcdef",
    { command: "view", max_characters: 3 },
    cat("$/f", ...[
      "     1\tabc",
      "<response clipped><NOTE>Lines 1 to 1 of 1 are shown, because at most 3 characters are. " +
      "Use view_range to see others.</NOTE>",
    ]),
  ],
  [
    "view a missing file",
    undefined,
    { command: "view" },
    "The path $/f does not exist. Please provide a valid path.",
  ],
  [
    "view a file below a file",
    "a",
    { command: "view", path: "$/f/x" },
    "The path $/f/x does not exist. Please provide a valid path.",
  ],
  [
    "view a relative path",
    "a",
    { command: "view", path: "f" },
    "The path f is not an absolute path, it should start with `/`. Maybe you meant $/f?",
  ],
  ["view a binary file", "a\0b", { command: "view" }, 'Cannot read "$/f": it is a binary file'],
  [
    "view a directory with a range",
    "a",
    { command: "view", path: "$", view_range: [1, 2] },
    "The `view_range` parameter is not allowed when `path` points to a directory.",
  ],
  [
    "create a file",
    undefined,
    { command: "create", file_text: "a\n" },
    "File created successfully at: $/f",
    "a\n",
  ],
  [
    "create an empty file",
    undefined,
    { command: "create", file_text: "" },
    "File created successfully at: $/f",
    "",
  ],
  ["create a file in a new directory", undefined, {
    command: "create",
    path: "$/new/deep/g",
    file_text: "a",
  }, "File created successfully at: $/new/deep/g"],
  [
    "create a file that exists",
    "old",
    { command: "create", file_text: "new" },
    "File already exists at: $/f. Cannot overwrite files using command `create`.",
    "old",
  ],
  [
    "create a file where a directory is",
    "a",
    { command: "create", path: "$", file_text: "" },
    "File already exists at: $. Cannot overwrite files using command `create`.",
  ],
  [
    "create without file_text",
    undefined,
    { command: "create" },
    "Parameter `file_text` is required for command: create",
  ],
  [
    "str_replace a string",
    five,
    { command: "str_replace", old_str: "three", new_str: "3" },
    `The file $/f has been edited. ${
      cat("a snippet of $/f", ...[
        ...["     1\tone", "     2\ttwo", "     3\t3", "     4\tfour", "     5\tfive", "     6\t"],
      ])
    }${checked}`,
    "one\ntwo\n3\nfour\nfive\n",
  ],
  [
    "str_replace shows four lines around",
    Array.from({ length: 20 }, (_, at) => `l${at + 1}`).join("\n"),
    { command: "str_replace", old_str: "l10\n", new_str: "x\ny\n" },
    `The file $/f has been edited. ${
      cat("a snippet of $/f", ...[
        ...["     6\tl6", "     7\tl7", "     8\tl8", "     9\tl9", "    10\tx", "    11\ty"],
        ...["    12\tl11", "    13\tl12", "    14\tl13", "    15\tl14", "    16\tl15"],
      ])
    }${checked}`,
  ],
  [
    "str_replace without new_str removes the string",
    "a b c",
    { command: "str_replace", old_str: " b" },
    `The file $/f has been edited. ${cat("a snippet of $/f", "     1\ta c")}${checked}`,
    "a c",
  ],
  [
    "str_replace is literal",
    "a.c abc",
    { command: "str_replace", old_str: "a.c", new_str: "$&" },
    `The file $/f has been edited. ${cat("a snippet of $/f", "     1\t$& abc")}${checked}`,
    "$& abc",
  ],
  [
    "str_replace keeps tabs",
    "\ta\n\tb\n",
    { command: "str_replace", old_str: "\tb", new_str: "\tc" },
    `The file $/f has been edited. ${
      cat("a snippet of $/f", ...["     1\t\ta", "     2\t\tc", "     3\t"])
    }${checked}`,
    "\ta\n\tc\n",
  ],
  [
    "str_replace keeps CRLF",
    "a\r\nb\r\n",
    { command: "str_replace", old_str: "a\nb", new_str: "c\nd" },
    `The file $/f has been edited. ${
      cat("a snippet of $/f", ...["     1\tc", "     2\td", "     3\t"])
    }${checked}`,
    "c\r\nd\r\n",
  ],
  [
    "str_replace a missing string",
    "one\ntwo\n",
    { command: "str_replace", old_str: "zzzz", new_str: "" },
    "No replacement was performed, old_str `zzzz` did not appear verbatim in $/f.",
    "one\ntwo\n",
  ],
  [
    "str_replace shows the most similar lines",
    "  if (a) {\n    b();\n  }\n",
    { command: "str_replace", old_str: "if (a) {\n  b();", new_str: "" },
    "No replacement was performed, old_str `if (a) {\n  b();` did not appear verbatim in $/f. " +
    "Only whitespace differs from lines 1 to 2:\n     1\t  if (a) {\n     2\t    b();",
  ],
  [
    "str_replace a string that occurs more than once",
    "a\nb\na\n",
    { command: "str_replace", old_str: "a", new_str: "c" },
    "No replacement was performed. Multiple occurrences of old_str `a` in lines [1, 3]. Please " +
    "ensure it is unique",
    "a\nb\na\n",
  ],
  [
    "str_replace a string that occurs twice in one line",
    "a a",
    { command: "str_replace", old_str: "a", new_str: "c" },
    "No replacement was performed. Multiple occurrences of old_str `a` in lines [1]. Please " +
    "ensure it is unique",
    "a a",
  ],
  [
    "str_replace an empty string",
    "a",
    { command: "str_replace", old_str: "", new_str: "c" },
    "No replacement was performed: old_str is empty; give the text to replace",
    "a",
  ],
  [
    "str_replace without old_str",
    "a",
    { command: "str_replace", new_str: "c" },
    "Parameter `old_str` is required for command: str_replace",
  ],
  ["str_replace in a missing file", undefined, {
    command: "str_replace",
    old_str: "a",
    new_str: "",
  }, "The path $/f does not exist. Please provide a valid path."],
  ["str_replace in a directory", "a", {
    command: "str_replace",
    path: "$",
    old_str: "a",
    new_str: "",
  }, "The path $ is a directory and only the `view` command can be used on directories"],
  [
    "insert at the start",
    "a\nb\n",
    { command: "insert", insert_line: 0, insert_text: "x" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...["     1\tx", "     2\ta", "     3\tb", "     4\t"])
    }${checkedLines}`,
    "x\na\nb\n",
  ],
  [
    "insert in the middle",
    five,
    { command: "insert", insert_line: 2, insert_text: "x\ny" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...[
        ...[
          "     1\tone",
          "     2\ttwo",
          "     3\tx",
          "     4\ty",
          "     5\tthree",
          "     6\tfour",
        ],
        ...["     7\tfive", "     8\t"],
      ])
    }${checkedLines}`,
    "one\ntwo\nx\ny\nthree\nfour\nfive\n",
  ],
  [
    "insert a string that ends in a newline leaves an empty line",
    "a\nb\n",
    { command: "insert", insert_line: 1, insert_text: "x\n" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...[
        ...["     1\ta", "     2\tx", "     3\t", "     4\tb", "     5\t"],
      ])
    }${checkedLines}`,
    "a\nx\n\nb\n",
  ],
  [
    "insert after the last line without a newline",
    "a",
    { command: "insert", insert_line: 1, insert_text: "b" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...["     1\ta", "     2\tb"])
    }${checkedLines}`,
    "a\nb",
  ],
  [
    "insert after the empty last line",
    "a\n",
    { command: "insert", insert_line: 2, insert_text: "b" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...["     1\ta", "     2\t", "     3\tb"])
    }${checkedLines}`,
    "a\n\nb",
  ],
  [
    "insert into an empty file",
    "",
    { command: "insert", insert_line: 0, insert_text: "a" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...["     1\ta", "     2\t"])
    }${checkedLines}`,
    "a\n",
  ],
  [
    "insert keeps CRLF",
    "a\r\nb\r\n",
    { command: "insert", insert_line: 1, insert_text: "x\ny" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...[
        ...["     1\ta", "     2\tx", "     3\ty", "     4\tb", "     5\t"],
      ])
    }${checkedLines}`,
    "a\r\nx\r\ny\r\nb\r\n",
  ],
  [
    "insert accepts new_str, as older versions do",
    "a\n",
    { command: "insert", insert_line: 0, new_str: "x" },
    `The file $/f has been edited. ${
      cat("a snippet of the edited file", ...["     1\tx", "     2\ta", "     3\t"])
    }${checkedLines}`,
    "x\na\n",
  ],
  [
    "insert after a missing line",
    "a\nb\n",
    { command: "insert", insert_line: 4, insert_text: "x" },
    "Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
    "a\nb\n",
  ],
  [
    "insert after line -1",
    "a\n",
    { command: "insert", insert_line: -1, insert_text: "x" },
    "Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 2]",
    "a\n",
  ],
  [
    "insert without a line",
    "a",
    { command: "insert", insert_text: "x" },
    "Parameter `insert_line` is required for command: insert",
  ],
  [
    "insert without insert_text",
    "a",
    { command: "insert", insert_line: 0 },
    "Parameter `insert_text` is required for command: insert",
  ],
  [
    "insert into a missing file",
    undefined,
    { command: "insert", insert_line: 0, insert_text: "x" },
    "The path $/f does not exist. Please provide a valid path.",
  ],
  ["insert into a directory", "a", {
    command: "insert",
    path: "$",
    insert_line: 0,
    insert_text: "x",
  }, "The path $ is a directory and only the `view` command can be used on directories"],
];

Deno.test("str_replace_based_edit_tool > each command has the result of the reference editor", async (t) => {
  for (const [name, text, input, result, after] of rows) {
    await t.step(name, async () => {
      using here = place(text === undefined ? {} : { f: text });
      const filled = (said: string) => said.replace(/\$(?=\/|$|[ .?"])/g, here.root);
      const { path = "$/f" } = input;
      const given = { ...input, path: filled(String(path)) };
      const said = await call(newEditor, given, here);
      if (result.startsWith("Cannot")) expect(said).toContain(filled(result));
      else expect(said).toBe(filled(result));
      if (after !== undefined) expect(here.read("f")).toBe(after);
    });
  }
});

Deno.test("str_replace_based_edit_tool > a snippet has the part of a long line around the change", async () => {
  using files = place({ "f": `one\n${"a".repeat(90_000)}needle${"b".repeat(90_000)}\nthree\n` });
  const edit = {
    command: "str_replace",
    path: `${files.root}/f`,
    old_str: "needle",
    new_str: "pin",
  };
  expect(await call(newEditor, edit, files)).toContain(
    "     1\tone\n     2\t[... 89,800 characters cut] " +
      `${"a".repeat(200)}pin${"b".repeat(1797)} [... 88,203 characters cut]\n     3\tthree\n`,
  );
});

Deno.test("str_replace_based_edit_tool > a directory is listed two levels deep, without hidden entries", async () => {
  using here = place({
    ...{ "b.txt": "", "a/x.txt": "", "a/deep/y.txt": "", ".hidden/z": "", "a/.secret": "" },
    ".top": "",
  });
  Deno.symlinkSync("/", `${here.root}/link`);
  const expected = ["", "/a", "/a/deep", "/a/x.txt", "/b.txt", "/link"];
  const listed = "Here's the files and directories up to 2 levels deep in " +
    `${here.root}, excluding hidden items:\n${
      expected.map((path) => here.root + path).join("\n")
    }\n`;
  expect(await call(newEditor, { command: "view", path: here.root }, here)).toBe(listed);
});

Deno.test("str_replace_based_edit_tool > a name with a newline is one line, and 1,000 entries are shown", async () => {
  using here = place({ "a\nb": "" });
  expect(await call(newEditor, { command: "view", path: here.root }, here))
    .toContain(`${here.root}/a\\u000ab\n`);
  for (let at = 0; at < 1_005; at++) Deno.writeTextFileSync(`${here.root}/${at}`, "");
  const listed = await call(newEditor, { command: "view", path: here.root }, here);
  expect(listed.split("\n")).toHaveLength(1 + 1 + 1_000 + 1 + 1);
  expect(listed).toContain("[6 more paths not shown]");
});

Deno.test("str_replace_based_edit_tool > a directory omits names that may not be read", async () => {
  using here = place({ "open.txt": "", "closed/x": "" });
  const context = contextFor(here.root, { mayRead: (path) => !path.includes("closed") });
  const args = { command: "view", path: here.root } as never;
  const listed = await newEditor.run(args, context);
  expect(listed).not.toContain("closed");
  expect(listed).toContain("[1 name not shown: may not be read]");
});

Deno.test("str_replace_editor > insert requires new_str", async () => {
  using here = place({ f: "a\n" });
  const input = { command: "insert", path: `${here.root}/f`, insert_line: 0 };
  expect(await call(oldEditor, input, here))
    .toBe("Parameter `new_str` is required for command: insert");
  await call(oldEditor, { ...input, new_str: "x" }, here);
  expect(here.read("f")).toBe("x\na\n");
});

Deno.test("str_replace_editor > undo_edit reverts the edits of a session, the last one first", async () => {
  using here = place({ f: "a\nb\n" });
  const path = `${here.root}/f`;
  const run = (input: Input, session?: string) =>
    call(oldEditor, { path, ...input }, { root: here.root, ...(session && { session }) });
  const none = `No edit history found for ${path}.`;
  expect(await run({ command: "undo_edit" })).toBe(none);
  await run({ command: "str_replace", old_str: "a", new_str: "c" });
  await run({ command: "insert", insert_line: 0, new_str: "x" });
  expect(here.read("f")).toBe("x\nc\nb\n");
  expect(await run({ command: "undo_edit" }, "another session")).toBe(none);
  expect(await run({ command: "undo_edit" })).toBe(
    `Last edit to ${path} undone successfully. ${cat(path, "     1\tc", "     2\tb", "     3\t")}`,
  );
  expect(here.read("f")).toBe("c\nb\n");
  await run({ command: "undo_edit" });
  expect(here.read("f")).toBe("a\nb\n");
  expect(await run({ command: "undo_edit" })).toBe(none);
});

Deno.test("str_replace_editor > undo_edit removes a file that the edit created", async () => {
  using here = place({});
  const path = `${here.root}/new`;
  await call(oldEditor, { command: "create", path, file_text: "a" }, here);
  expect(await call(oldEditor, { command: "undo_edit", path }, here)).toBe(
    `Last edit to ${path} undone successfully. The edit had created the file, so it was removed.`,
  );
  expect([...Deno.readDirSync(here.root)]).toEqual([]);
});

Deno.test("str_replace_editor > undo_edit keeps later changes of another program", async () => {
  using here = place({ f: "a" });
  const path = `${here.root}/f`;
  await call(oldEditor, { command: "str_replace", path, old_str: "a", new_str: "b" }, here);
  Deno.writeTextFileSync(path, "work of another");
  expect(await call(oldEditor, { command: "undo_edit", path }, here)).toContain(
    "the file was changed after it",
  );
  expect(here.read("f")).toBe("work of another");
});

Deno.test("str_replace_editor > undo_edit restores bytes that are not UTF-8", async () => {
  using here = place({});
  const path = `${here.root}/f`;
  const bytes = Uint8Array.from([97, 97, 97, 97, 97, 97, 0xe9, 10]);
  Deno.writeFileSync(path, bytes);
  await call(oldEditor, { command: "insert", path, insert_line: 0, new_str: "x" }, here);
  await call(oldEditor, { command: "undo_edit", path }, here);
  expect(Deno.readFileSync(path)).toEqual(bytes);
});

Deno.test("EditHistory > ten edits of a file are kept in private files, and large ones are not kept", async () => {
  using directory = scratchDirectory();
  const history = new EditHistory(directory.path, "s");
  for (let at = 0; at < 12; at++) await history.push("/f", { before: `${at}`, after: "" });
  for (let at = 11; at >= 2; at--) {
    expect((await history.last("/f"))?.before).toBe(`${at}`);
    await history.drop("/f");
  }
  expect(await history.last("/f")).toBeUndefined();
  await history.push("/f", { before: "small", after: "" });
  await history.push("/g", { before: "other", after: "" });
  const files = [...Deno.readDirSync(history.directory)];
  expect(files).toHaveLength(2);
  for (const { name } of files) {
    expect(Deno.statSync(`${history.directory}/${name}`).mode! & 0o777).toBe(0o600);
  }
  expect(Deno.statSync(history.directory).mode! & 0o777).toBe(0o700);
  await history.push("/f", { before: "x".repeat(2_000_000), after: "" });
  expect(await history.last("/f")).toBeUndefined();
  for (let at = 0; at < 110; at++) await history.push(`/${at}`, { before: "a", after: "" });
  expect([...Deno.readDirSync(history.directory)].length).toBeLessThanOrEqual(100);
  expect((await history.last("/109"))?.before).toBe("a");
});

import { defineTool } from "../src/runner/registry/define.ts";
import { editorNeeds, editorProblems } from "../src/toolkit/files/text_editor/editor_needs.ts";

export default defineTool({
  name: "str_replace_editor",
  offered: "vendor",
  title: "View and edit text files (text_editor_20250124)",
  description:
    "Views, creates and edits text files, as Anthropic's text editor. view: a file with line numbers, or a directory up to two levels deep. create: a new file; an existing one is an error. str_replace: replaces old_str, which must occur exactly once. insert: inserts lines after insert_line; 0 is the start. undo_edit: undoes the last edit of the file in this session. The write is atomic.",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  uses: ["edits"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "For models that know Anthropic's text editor",
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "string",
        enum: ["view", "create", "str_replace", "insert", "undo_edit"],
        description: "The command.",
      },
      path: { type: "string", description: "Absolute path of the file or directory." },
      file_text: { type: "string", description: "create: the text of the new file." },
      view_range: {
        type: "array",
        items: { type: "integer" },
        description: "view: the first and the last line, from 1. -1 is the end of the file.",
      },
      old_str: { type: "string", description: "str_replace: the text to replace." },
      new_str: {
        type: "string",
        description: "str_replace: the replacement; insert: the text.",
      },
      insert_line: {
        type: "integer",
        description: "insert: the line after which the text is inserted.",
      },
    },
    required: ["command", "path"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "View a file",
      input: { command: "view", path: "$ROOT/hello.txt", view_range: [1, 1] },
      expect: "     1\tHello",
    },
    {
      description: "View a directory",
      input: { command: "view", path: "$ROOT" },
      expect: "/src/math.ts",
    },
    {
      description: "Create a file",
      input: { command: "create", path: "$ROOT/new.txt", file_text: "one\n" },
      expect: "File created successfully at:",
    },
    {
      description: "Replace a text",
      input: {
        ...{ command: "str_replace", path: "$ROOT/hello.txt" },
        ...{ old_str: "Hello", new_str: "Goodbye" },
      },
      expect: "     1\tGoodbye",
    },
    {
      description: "Insert a line at the top",
      input: {
        ...{ command: "insert", path: "$ROOT/hello.txt" },
        ...{ insert_line: 0, new_str: "# Title" },
      },
      expect: "     1\t# Title\n     2\tHello",
    },
    {
      description: "Without an edit, there is nothing to undo",
      input: { command: "undo_edit", path: "$ROOT/hello.txt" },
      expect: "No edit history found for",
      isError: true,
    },
  ],
  rules: (args, cwd) => editorProblems(args, cwd, "new_str"),
  permissions: {
    kinds: ["read", "write"],
    needs: (args) => editorNeeds(args),
  },
  changes: ({ command }) => command !== "view",
  async run(args, ctx) {
    const { keepIn, runTextEditor, undoEdit } = await import(
      "../src/toolkit/files/vendor_files.ts"
    );
    if (args.command === "undo_edit") return await undoEdit(args.path, ctx);
    const { view_range, new_str: insert_text } = args;
    const given = { ...args, view_range, insert_text, max_characters: undefined };
    return await runTextEditor(given, ctx, keepIn(ctx.edits));
  },
});

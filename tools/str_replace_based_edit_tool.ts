import { defineTool } from "../src/runner/registry/define.ts";
import { editorNeeds, editorProblems } from "../src/toolkit/files/text_editor/editor_needs.ts";

export default defineTool({
  name: "str_replace_based_edit_tool",
  offered: "vendor",
  title: "View and edit text files (text_editor_20250728)",
  description:
    "Views, creates and edits text files, as Anthropic's text editor. view: a file with line numbers, or a directory up to two levels deep. create: a new file; an existing one is an error. str_replace: replaces old_str, which must occur exactly once. insert: inserts lines after insert_line; 0 is the start. Line endings are kept. The write is atomic.",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  optionality: "optional",
  usageHint: "For models that know Anthropic's text editor",
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "string",
        enum: ["view", "create", "str_replace", "insert"],
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
        description: "str_replace: the replacement; without it, old_str is removed.",
      },
      insert_line: {
        type: "integer",
        description: "insert: the line after which the text is inserted.",
      },
      insert_text: { type: "string", description: "insert: the text. new_str is accepted too." },
      max_characters: {
        type: "integer",
        minimum: 1,
        description: "view: the most characters of the file to show (default: 100,000).",
      },
    },
    required: ["command", "path"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "View a file",
      input: { command: "view", path: "$ROOT/hello.txt", view_range: [1, 1], max_characters: 80 },
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
        ...{ insert_line: 0, insert_text: "# Title" },
      },
      expect: "     1\t# Title\n     2\tHello",
    },
    {
      description: "A text that is not there changes nothing",
      input: { command: "str_replace", path: "$ROOT/hello.txt", old_str: "xyz", new_str: "x" },
      expect: "did not appear verbatim",
      isError: true,
    },
  ],
  rules: (args, cwd) => editorProblems(args, cwd),
  permissions: { kinds: ["read", "write"], needs: (args) => editorNeeds(args) },
  changes: ({ command }) => command !== "view",
  run: async (args, ctx) =>
    await (await import("../src/toolkit/files/vendor_files.ts")).runTextEditor(args, ctx),
});

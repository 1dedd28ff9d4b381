import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { checkCodeEdit, editLines } from "../src/toolkit/files/edit/code_edit.ts";
import { editFile } from "../src/toolkit/files/edit/edit_file.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";

export default defineTool({
  name: "code_edit",
  title: "Edit code",
  description:
    "Changes a part of a text file of up to 64 MiB. replace: new_string in place of old_string, which must be in the file character for character and only once (or everywhere, with replace_all), or in place of the lines from start_line to end_line. insert: new_string as lines before start_line; one more than the file has appends. delete: the lines from start_line to end_line. Line ends are kept as the file has them. The file is replaced as a whole and keeps its mode; simultaneous edits wait for each other; what does not fit changes nothing, and the error says why. The result is a unified diff",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  optionality: "required",
  usageHint: "To change a part of a file by its text, or by lines that were just read",
  inputSchema: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["replace", "insert", "delete"], description: "What to do" },
      path: {
        type: "string",
        minLength: 1,
        description: "Path of the file, absolute or relative to the working folder",
      },
      old_string: { type: "string", minLength: 1, description: "The text to replace" },
      new_string: {
        type: "string",
        description: "The text, or the lines, to put there; taken literally",
      },
      replace_all: {
        type: "boolean",
        description: "Whether to replace every occurrence of old_string rather than the only one",
      },
      start_line: { type: "integer", minimum: 1, description: "The first line, counted from 1" },
      end_line: {
        type: "integer",
        minimum: 1,
        description: "The last line; start_line where it is not given",
      },
    },
    required: ["action", "path"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Replace a text",
      input: { action: "replace", path: "hello.txt", old_string: "Hello", new_string: "Goodbye" },
      expect: "+Goodbye",
    },
    {
      description: "Insert a line at the top",
      input: { action: "insert", path: "$ROOT/hello.txt", start_line: 1, new_string: "# Title" },
      expect: "+# Title\n Hello",
    },
    {
      description: "Delete a line",
      input: { action: "delete", path: "src/math.ts", start_line: 5 },
      expect: "-// TODO: subtract",
    },
    {
      description: "Lines that are not there change nothing",
      input: { action: "delete", path: "hello.txt", start_line: 1, end_line: 90 },
      expect: "no line 90",
      isError: true,
    },
  ],
  permissions: {
    kinds: ["read", "write"],
    needs: (args) => {
      checkCodeEdit(args);
      return [
        { name: "read", path: checkFilePath(args.path) },
        { name: "write", path: args.path },
      ];
    },
  },
  async run(args, ctx) {
    const target = callFile(ctx, { given: args.path, action: "edit" });
    const { old_string: oldText, new_string: newText = "", replace_all: all = false } = args;
    const edited = oldText === undefined
      ? await editLines(target, { edit: args, signal: ctx.signal })
      : await editFile(target, { edit: { oldText, newText, all }, signal: ctx.signal });
    const { editResult } = await import("../src/toolkit/files/edit/edit_diff.ts");
    return editResult(target, { edited, noun: "change" });
  },
});

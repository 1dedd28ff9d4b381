import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { codeEditProblems, editLines } from "../src/toolkit/files/edit/code_edit.ts";
import { editFile } from "../src/toolkit/files/edit/edit_file.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";

export default defineTool({
  name: "code_edit",
  title: "Edit code",
  description:
    "Edits a text file of up to 64 MiB. replace: replaces old_string (exact, and only once unless replace_all is set), or the lines start_line to end_line, with new_string. insert: adds new_string as lines before start_line; one more than the number of lines appends. delete: removes the lines start_line to end_line. Line endings are kept. The write is atomic and keeps the file's mode. Concurrent edits wait for each other. If an edit does not apply, nothing changes and the error explains why. Returns a unified diff.",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  optionality: "required",
  usageHint: "To change a part of a file by text, or by line numbers just read",
  inputSchema: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["replace", "insert", "delete"], description: "The action." },
      path: {
        type: "string",
        minLength: 1,
        description: "Path of the file, absolute or relative to the working directory.",
      },
      old_string: { type: "string", minLength: 1, description: "The text to replace." },
      new_string: {
        type: "string",
        description: "The new text or lines, inserted literally.",
      },
      replace_all: {
        type: "boolean",
        description: "Replaces every occurrence of old_string.",
      },
      start_line: { type: "integer", minimum: 1, description: "The first line, from 1." },
      end_line: {
        type: "integer",
        minimum: 1,
        description: "The last line. Default: start_line.",
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
  rules: (args) => [
    ...problemFrom("/path", () => checkFilePath(args.path)),
    ...codeEditProblems(args),
  ],
  permissions: {
    kinds: ["read", "write"],
    needs: ({ path }) => [{ name: "read", path: checkFilePath(path) }, { name: "write", path }],
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

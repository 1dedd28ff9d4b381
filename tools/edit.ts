import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { editFile } from "../src/toolkit/files/edit/edit_file.ts";
import { editsProblems, textProblems } from "../src/toolkit/files/edit/check_edits.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";

export default defineTool({
  name: "Edit",
  aliases: ["FileEdit"],
  title: "Edit file",
  description:
    "Replaces old_string with new_string in a file of up to 64 MiB. old_string must match exactly, and only once unless replace_all is set. Otherwise nothing changes, and the error lists the lines where it occurs, or the most similar region and the difference. new_string is inserted literally. LF and CRLF both match; the file's line endings are kept. An empty old_string creates a new file. The write is atomic and keeps the file's mode, owner and attributes. Concurrent edits wait for each other. edits makes several replacements, all or none. Returns a unified diff.",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  optionality: "required",
  usageHint: "To change a part of a file after reading it",
  inputSchema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "Absolute path of the file. ~ and variables are not expanded.",
        pattern: "^/",
      },
      old_string: {
        type: "string",
        description: "The text to replace, without Read's line numbers. Empty: create a new file.",
      },
      new_string: {
        type: "string",
        description: "The replacement. Must differ from old_string.",
      },
      replace_all: {
        type: "boolean",
        description: "Replaces every occurrence.",
        default: false,
      },
      edits: {
        type: "array",
        minItems: 1,
        description: "Several replacements instead of one, each in the result of the one before.",
        items: {
          type: "object",
          properties: {
            old_string: { type: "string", minLength: 1, description: "The text to replace." },
            new_string: { type: "string", description: "The replacement." },
            replace_all: { type: "boolean", description: "Replaces every occurrence." },
            expected_replacements: {
              type: "integer",
              minimum: 1,
              description: "The number of occurrences, if it must be checked.",
            },
          },
          required: ["old_string", "new_string"],
          additionalProperties: false,
        },
      },
    },
    required: ["file_path"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Change a word",
      input: { file_path: "$ROOT/hello.txt", old_string: "Hello", new_string: "Goodbye" },
      expect: "+Goodbye",
    },
    {
      description: "Make two replacements, or none",
      input: {
        file_path: "$ROOT/hello.txt",
        edits: [
          { old_string: "Hello", new_string: "Goodbye" },
          { old_string: "o", new_string: "0", replace_all: true },
        ],
      },
      expect: "+G00dbye",
    },
    {
      description: "A text that is not there changes nothing",
      input: { file_path: "$ROOT/hello.txt", old_string: "hello there", new_string: "x" },
      expect: "old_string was not found",
      isError: true,
    },
  ],
  rules: ({ file_path, old_string, new_string, edits }) => [
    ...problemFrom("/file_path", () => checkFilePath(file_path)),
    ...(edits === undefined
      ? textProblems({ old_string, new_string })
      : editsProblems(edits, { isAlone: old_string === undefined && new_string === undefined })),
  ],
  permissions: {
    kinds: ["read", "write"],
    needs: ({ file_path, old_string }) => [
      { name: "read", path: checkFilePath(file_path) },
      { name: "write", path: file_path, ...(old_string === "" && { directoriesIn: "/" }) },
    ],
  },
  async run(args, ctx) {
    const target = callFile(ctx, { given: args.file_path, action: "edit" });
    const { file_path, old_string = "", new_string = "", replace_all, edits } = args;
    if (edits !== undefined) {
      const { editInSteps } = await import("../src/toolkit/files/edit/edit_steps.ts");
      const steps = await editInSteps(target, { edits, signal: ctx.signal });
      if (!ctx.structured) return steps.text;
      const { stepsData } = await import("../src/toolkit/files/file_data.ts");
      return { content: steps.text, structuredContent: stepsData(file_path, steps) };
    }
    if (old_string === "") {
      const { createText } = await import("../src/toolkit/files/actions.ts");
      return createText(target, new_string);
    }
    const edit = { oldText: old_string, newText: new_string, all: replace_all };
    const edited = await editFile(target, { edit, signal: ctx.signal });
    const { editResult } = await import("../src/toolkit/files/edit/edit_diff.ts");
    const text = editResult(target, { edited, noun: "replacement" });
    if (!ctx.structured) return text;
    const { editData } = await import("../src/toolkit/files/file_data.ts");
    return {
      content: text,
      structuredContent: editData({ file_path, old_string, new_string, replace_all }, edited),
    };
  },
});

import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { editFile } from "../src/toolkit/files/edit/edit_file.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";
import { quotePath } from "../src/base/text/quote.ts";

export default defineTool({
  name: "Edit",
  aliases: ["FileEdit"],
  title: "Edit file",
  description:
    "Replaces old_string with new_string in a file of up to 64 MiB. old_string must match exactly, and only once unless replace_all is set. Otherwise nothing changes, and the error lists the lines where it occurs, or the most similar region and the difference. new_string is inserted literally. LF and CRLF both match; the file's line endings are kept. An empty old_string creates a new file. The write is atomic and keeps the file's mode. Concurrent edits wait for each other. Returns a unified diff.",
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
    },
    required: ["file_path", "old_string", "new_string"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Change a word",
      input: { file_path: "$ROOT/hello.txt", old_string: "Hello", new_string: "Goodbye" },
      expect: "+Goodbye",
    },
    {
      description: "A text that is not there changes nothing",
      input: { file_path: "$ROOT/hello.txt", old_string: "hello there", new_string: "x" },
      expect: "old_string was not found",
      isError: true,
    },
  ],
  permissions: {
    kinds: ["read", "write"],
    needs: ({ file_path, old_string, new_string }) => {
      if (old_string === new_string) {
        const why = "old_string and new_string are equal, so nothing would change";
        throw new Error(`Cannot edit ${quotePath(file_path)}: ${why}`);
      }
      return [
        { name: "read", path: checkFilePath(file_path) },
        { name: "write", path: file_path, ...(old_string === "" && { directoriesIn: "/" }) },
      ];
    },
  },
  async run(args, ctx) {
    const target = callFile(ctx, { given: args.file_path, action: "edit" });
    if (args.old_string === "") {
      const { createText } = await import("../src/toolkit/files/actions.ts");
      return createText(target, args.new_string);
    }
    const edit = { oldText: args.old_string, newText: args.new_string, all: args.replace_all };
    const edited = await editFile(target, { edit, signal: ctx.signal });
    const { editResult } = await import("../src/toolkit/files/edit/edit_diff.ts");
    const text = editResult(target, { edited, noun: "replacement" });
    if (!ctx.structured) return text;
    const { editData } = await import("../src/toolkit/files/file_data.ts");
    return { content: text, structuredContent: editData(args, edited) };
  },
});

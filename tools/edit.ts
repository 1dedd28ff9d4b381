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
    "Replaces a text in a file of up to 64 MiB by another. old_string must be in the file character for character, and only once unless replace_all is set; otherwise nothing changes, and the error names the lines where it stands, or the nearest region and what differs, such as only whitespace, quotes or line ends. new_string is taken literally. Both texts may have LF or CRLF line ends; a file's own are kept. An empty old_string creates a missing file with new_string as its content. The file is replaced as a whole and keeps its mode; simultaneous edits of one file wait for each other. The result is a unified diff",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  optionality: "required",
  usageHint: "To change a part of a file that was read before",
  inputSchema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "Absolute path of the file; ~ and variables are not expanded",
        pattern: "^/",
      },
      old_string: {
        type: "string",
        description:
          "The text to replace, without the line numbers that Read shows; empty to create a missing file",
      },
      new_string: {
        type: "string",
        description: "The text to put there; must differ from old_string",
      },
      replace_all: {
        type: "boolean",
        description: "Replace every occurrence rather than the only one",
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
      expect: "old_string is not in the file",
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

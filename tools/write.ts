import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";
import { writeText } from "../src/toolkit/files/actions.ts";

export default defineTool({
  name: "Write",
  aliases: ["FileWrite"],
  title: "Write file",
  description:
    "Writes a text file in UTF-8, replacing any existing content. Creates missing directories. The write is atomic, except for a file of another user, which is written in place. An existing file keeps its mode, owner and attributes; other hard links keep the old content. Symlinks are followed. Directories, pipes and devices are rejected. Returns whether the file was created or overwritten, and its number of lines.",
  category: "code",
  sideEffect: "mutating",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To create a file or rewrite it completely; use Edit to change a part",
  inputSchema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "Absolute path of the file. ~ and variables are not expanded.",
        pattern: "^/",
      },
      content: {
        type: "string",
        description: "The complete new content, written exactly as given.",
      },
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Create a file in a new directory",
      input: { file_path: "$ROOT/new/list.txt", content: "one\ntwo\n" },
      expect: "(2 lines)",
    },
    {
      description: "Rewrite a file",
      input: { file_path: "$ROOT/notes.md", content: "# Notes\n" },
      expect: "Overwrote",
    },
    {
      description: "A directory is not replaced",
      input: { file_path: "$ROOT/src", content: "" },
      expect: "it is a directory",
      isError: true,
    },
  ],
  rules: ({ file_path }) => problemFrom("/file_path", () => checkFilePath(file_path)),
  permissions: {
    kinds: ["write"],
    needs: ({ file_path }) => [
      { name: "write", path: checkFilePath(file_path), directoriesIn: "/" },
    ],
  },
  async run({ file_path, content }, ctx) {
    const target = callFile(ctx, { given: file_path, action: "write" });
    if (!ctx.structured) return await writeText(target, { content, signal: ctx.signal });
    const { originalText, writeData } = await import("../src/toolkit/files/file_data.ts");
    const original = ctx.mayRead(target.path) ? originalText(target.path) : null;
    const text = await writeText(target, { content, signal: ctx.signal });
    const isNew = text.startsWith("Created");
    const data = writeData({ file_path, content }, { original, isNew });
    return { content: text, structuredContent: data };
  },
});

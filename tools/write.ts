import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";
import { writeText } from "../src/toolkit/files/actions.ts";

export default defineTool({
  name: "Write",
  aliases: ["FileWrite"],
  title: "Write file",
  description:
    "Makes a text the whole content of a file, in UTF-8, and makes the file and its folders when they are missing. A reader sees the old file or the new one, never a part, also when the call is killed. An existing file keeps its mode; it is replaced by a new one of the same name, so other hard links to it keep the old content. A symbolic link is followed. Folders, pipes and devices are refused. Says whether the file was created or overwritten, and its number of lines",
  category: "code",
  sideEffect: "mutating",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To make a new file or to rewrite one completely; for a change within a file, Edit",
  inputSchema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "Absolute path of the file; ~ and variables are not expanded",
        pattern: "^/",
      },
      content: {
        type: "string",
        description: "The whole new content, written exactly as given",
      },
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Make a file in a new folder",
      input: { file_path: "$ROOT/new/list.txt", content: "one\ntwo\n" },
      expect: "(2 lines)",
    },
    {
      description: "Rewrite a file",
      input: { file_path: "$ROOT/notes.md", content: "# Notes\n" },
      expect: "Overwrote",
    },
    {
      description: "A folder is not replaced",
      input: { file_path: "$ROOT/src", content: "" },
      expect: "it is a folder",
      isError: true,
    },
  ],
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

import { problemFrom, problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath, checkPath } from "../src/toolkit/files/check_path.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";
import { listDirectory, readText, writeText } from "../src/toolkit/files/actions.ts";

export default defineTool({
  name: "file",
  title: "Read, write or list",
  description:
    "Reads or writes a text file, or lists a directory. read: the text unchanged, up to 256 KiB, then how to continue; binary files are rejected. write: replaces the whole file, in UTF-8, and creates missing directories; the write is atomic. list: the names in one directory, sorted; directories end in /, symlinks in @; at most 1,000, then the number of others. A missing file's error suggests similar names.",
  category: "code",
  sideEffect: "mutating",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To read, write and list files. Always read before modifying",
  inputSchema: {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: ["read", "write", "list"],
        description: "The action.",
      },
      path: {
        type: "string",
        minLength: 1,
        description:
          "Path of the file or directory, absolute or relative to the working directory.",
      },
      content: { type: "string", description: "The content to write. Only for write." },
    },
    required: ["action", "path"],
    additionalProperties: false,
  },
  examples: [
    { description: "Read a file", input: { action: "read", path: "hello.txt" }, expect: "Hello" },
    { description: "List a directory", input: { action: "list", path: "$ROOT" }, expect: "src/" },
    {
      description: "Write a file in a new directory",
      input: { action: "write", path: "docs/new.md", content: "# New\n" },
      expect: 'Created "docs/new.md" (1 line)',
    },
    {
      description: "A text to write is not for reading",
      input: { action: "read", path: "hello.txt", content: "x" },
      expect: "content is for the action write",
      isError: true,
    },
  ],
  rules: ({ action, path, content }) => [
    ...problemFrom("/path", () => action === "list" ? checkPath(path) : checkFilePath(path)),
    ...problemIf(
      action === "write" && content === undefined,
      "/content",
      "Cannot write: content is missing",
    ),
    ...problemIf(
      action !== "write" && content !== undefined,
      "/content",
      `Cannot ${action}: content is for the action write alone`,
    ),
  ],
  permissions: {
    kinds: ["read", "write"],
    needs: ({ action, path }) => {
      const file = action === "list" ? checkPath(path) : checkFilePath(path);
      return action === "write"
        ? [{ name: "write", path: file, directoriesIn: "/" }]
        : [{ name: "read", path: file }];
    },
  },
  changes: ({ action }) => action === "write",
  async run({ action, path, content = "" }, ctx) {
    const file = callFile(ctx, { given: path, action });
    switch (action) {
      case "read":
        return await readText(file, ctx.signal);
      case "write":
        return await writeText(file, { content, signal: ctx.signal });
      case "list":
        return await listDirectory(file);
    }
  },
});

import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath, checkPath } from "../src/toolkit/files/check_path.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";
import { listDirectory, readText, writeText } from "../src/toolkit/files/actions.ts";

export default defineTool({
  name: "file",
  title: "Read, write or list",
  description:
    "Reads a text file, writes one, or lists a folder. read: the text unchanged, up to 256 KiB, then how to go on; binary files are refused. write: content becomes the whole file, in UTF-8; the file and its folders are made when they are missing; a reader sees the old file or the new one. list: the names in one folder, sorted, a folder with /, a symbolic link with @; at most 1,000, then the count of the rest. What is missing is answered with near names",
  category: "code",
  sideEffect: "mutating",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "For reading, writing and listing files. Always read before modifying",
  inputSchema: {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: ["read", "write", "list"],
        description: "The file operation to perform",
      },
      path: {
        type: "string",
        minLength: 1,
        description: "Path of the file or folder, absolute or relative to the working folder",
      },
      content: { type: "string", description: "Content to write, for the action write alone" },
    },
    required: ["action", "path"],
    additionalProperties: false,
  },
  examples: [
    { description: "Read a file", input: { action: "read", path: "hello.txt" }, expect: "Hello" },
    { description: "List a folder", input: { action: "list", path: "$ROOT" }, expect: "src/" },
    {
      description: "Write a file in a new folder",
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
  permissions: {
    kinds: ["read", "write"],
    needs: ({ action, path, content }) => {
      if (action === "write" && content === undefined) {
        throw new Error("Cannot write: content is missing");
      }
      if (action !== "write" && content !== undefined) {
        throw new Error(`Cannot ${action}: content is for the action write alone`);
      }
      if (action !== "write") {
        return [{ name: "read", path: action === "read" ? checkFilePath(path) : checkPath(path) }];
      }
      return [{ name: "write", path: checkFilePath(path), directoriesIn: "/" }];
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

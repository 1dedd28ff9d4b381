import { defineTool } from "../src/runner/registry/define.ts";
import { rootFile } from "../src/toolkit/files/call_file.ts";
import { checkRootPath } from "../src/toolkit/files/check_path.ts";
import { writeText } from "../src/toolkit/files/actions.ts";

export default defineTool({
  name: "fs.write",
  aliases: ["fs_write"],
  title: "Write file",
  description:
    "Makes a text the whole content of a file below the root, in UTF-8, and makes the file and its folders when they are missing. A reader sees the old file or the new one, never a part. An existing file keeps its mode; other hard links to it keep the old content. Folders, pipes and devices are refused",
  category: "code",
  sideEffect: "mutating",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To make or rewrite a file by its path in the repository",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "Path relative to the root, never absolute and never out of it",
        pattern: "^[^/]",
      },
      content: {
        type: "string",
        description: "The whole new content, written exactly as given",
      },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Make a file in a new folder",
      input: { path: "docs/new.md", content: "# New\n" },
      expect: 'Created "docs/new.md" (1 line)',
    },
    {
      description: "Rewrite a file",
      input: { path: "hello.txt", content: "Good morning\n" },
      expect: 'Overwrote "hello.txt" (1 line)',
    },
  ],
  permissions: {
    kinds: ["write"],
    needs: ({ path }, cwd) => [{ name: "write", path: checkRootPath(path), directoriesIn: cwd }],
  },
  run({ path, content }, ctx) {
    const file = rootFile(ctx, { given: path, action: "write" });
    return writeText(file, { content, signal: ctx.signal });
  },
});

import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { rootFile } from "../src/toolkit/files/call_file.ts";
import { checkRootPath } from "../src/toolkit/files/check_path.ts";
import { writeText } from "../src/toolkit/files/actions.ts";

export default defineTool({
  name: "fs.write",
  aliases: ["fs_write"],
  title: "Write file",
  description:
    "Writes a text file in UTF-8 by its path relative to the root, replacing any existing content. Creates missing directories. The write is atomic, except for a file of another user, which is written in place. An existing file keeps its mode, owner and attributes; other hard links keep the old content. Directories, pipes and devices are rejected.",
  category: "code",
  sideEffect: "mutating",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To create or rewrite a file by its path in the repository",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "Path relative to the root; must stay inside it.",
        pattern: "^[^/]",
      },
      content: {
        type: "string",
        description: "The complete new content, written exactly as given.",
      },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Create a file in a new directory",
      input: { path: "docs/new.md", content: "# New\n" },
      expect: 'Created "docs/new.md" (1 line)',
    },
    {
      description: "Rewrite a file",
      input: { path: "hello.txt", content: "Good morning\n" },
      expect: 'Overwrote "hello.txt" (1 line)',
    },
  ],
  rules: ({ path }) => problemFrom("/path", () => checkRootPath(path)),
  permissions: {
    kinds: ["write"],
    needs: ({ path }, cwd) => [{ name: "write", path: checkRootPath(path), directoriesIn: cwd }],
  },
  run({ path, content }, ctx) {
    const file = rootFile(ctx, { given: path, action: "write" });
    return writeText(file, { content, signal: ctx.signal });
  },
});

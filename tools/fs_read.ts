import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { MAX_TEXT_BYTES, readText, shownText } from "../src/toolkit/files/actions.ts";
import { rootFile } from "../src/toolkit/files/call_file.ts";
import { checkRootPath } from "../src/toolkit/files/check_path.ts";

export default defineTool({
  name: "fs.read",
  aliases: ["fs_read"],
  title: "Read file",
  description:
    "Returns a text file (up to 256 KiB) by its path relative to the root. If it is longer, a second block tells how to continue with Read. Rejects binary files, directories, pipes and devices. A missing file's error suggests similar names.",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To get a whole text file by its path in the repository, without line numbers",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "Path relative to the root; must stay inside it.",
        pattern: "^[^/]",
      },
    },
    required: ["path"],
    additionalProperties: false,
  },
  examples: [
    { description: "Read a file", input: { path: "hello.txt" }, expect: "Hello" },
    {
      description: "A path that leaves the root is refused",
      input: { path: "src/../../secret" },
      expect: "it leaves the root",
      isError: true,
    },
  ],
  rules: ({ path }) => problemFrom("/path", () => checkRootPath(path)),
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: checkRootPath(args.path) }],
  },
  shortFile: { maxBytes: MAX_TEXT_BYTES, show: (_, bytes) => shownText(bytes) },
  run({ path }, ctx) {
    return readText(rootFile(ctx, { given: path, action: "read" }), ctx.signal);
  },
});

import { defineTool } from "../src/runner/registry/define.ts";
import { MAX_TEXT_BYTES, readText, shownText } from "../src/toolkit/files/actions.ts";
import { rootFile } from "../src/toolkit/files/call_file.ts";
import { checkRootPath } from "../src/toolkit/files/check_path.ts";

export default defineTool({
  name: "fs.read",
  aliases: ["fs_read"],
  title: "Read file",
  description:
    "Gives the plain text of a file below the root, unchanged, up to 256 KiB; when there is more, a second block says so and how to go on with Read. Binary files, folders, pipes and devices are refused. A missing file names near ones",
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
        description: "Path relative to the root, never absolute and never out of it",
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
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: checkRootPath(args.path) }],
  },
  shortFile: { maxBytes: MAX_TEXT_BYTES, show: (_, bytes) => shownText(bytes) },
  run({ path }, ctx) {
    return readText(rootFile(ctx, { given: path, action: "read" }), ctx.signal);
  },
});

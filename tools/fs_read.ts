import { defineTool } from "../src/runner/registry/define.ts";
import { openSource } from "../src/toolkit/files/read/byte_source.ts";
import { plainText } from "../src/toolkit/files/read/plain_text.ts";
import { checkRootPath, rootTarget } from "../src/toolkit/files/root_path.ts";

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
  async run({ path }, ctx) {
    const target = rootTarget(ctx, { given: path, action: "read" });
    using source = openSource(target, ctx.signal);
    if (!source) {
      const { missingError } = await import("../src/toolkit/files/missing_error.ts");
      throw missingError(target, (path) => ctx.mayRead(path));
    }
    return await plainText(source, target);
  },
});

import { defineTool } from "../src/runner/registry/define.ts";
import { listDirectory } from "../src/toolkit/files/actions.ts";
import { rootFile } from "../src/toolkit/files/call_file.ts";
import { checkRootPath } from "../src/toolkit/files/check_path.ts";

export default defineTool({
  name: "fs.list",
  aliases: ["fs_list"],
  title: "List folder",
  description:
    "Lists the names in one folder below the root, one a line and sorted, hidden ones too: a folder ends in /, a symbolic link in @. At most 1,000 names, then the count of the rest. Does not look into subfolders",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To see what a folder of the repository holds",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "Folder relative to the root, never absolute and never out of it",
        pattern: "^[^/]",
        default: ".",
      },
    },
    additionalProperties: false,
  },
  examples: [
    { description: "List the root", input: {}, expect: "src/" },
    { description: "List a folder", input: { path: "src" }, expect: "main.ts\nmath.ts" },
  ],
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: checkRootPath(args.path) }],
  },
  run({ path }, ctx) {
    return listDirectory(rootFile(ctx, { given: path, action: "list" }));
  },
});

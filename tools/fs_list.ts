import { defineTool } from "../src/runner/registry/define.ts";
import { folderNames } from "../src/toolkit/files/folder_names.ts";
import { checkRootPath, rootTarget } from "../src/toolkit/files/root_path.ts";

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
  async run({ path }, ctx) {
    const target = rootTarget(ctx, { given: path, action: "list" });
    const mayRead = (path: string) => ctx.mayRead(path);
    const names = folderNames(target, mayRead);
    if (names !== undefined) return names;
    const { missingError } = await import("../src/toolkit/files/missing_error.ts");
    throw missingError(target, mayRead);
  },
});

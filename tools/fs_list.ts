import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { listDirectory } from "../src/toolkit/files/actions.ts";
import { rootFile } from "../src/toolkit/files/call_file.ts";
import { checkRootPath } from "../src/toolkit/files/check_path.ts";

export default defineTool({
  name: "fs.list",
  aliases: ["fs_list"],
  title: "List directory",
  description:
    "Lists the names in one directory below the root, sorted, including hidden ones. Directories end in /, symlinks in @. Returns at most 1,000 names, then the number of others. Does not descend into subdirectories.",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To see the contents of a directory of the repository",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "Path relative to the root; must stay inside it.",
        pattern: "^[^/]",
        default: ".",
      },
    },
    additionalProperties: false,
  },
  examples: [
    { description: "List the root", input: {}, expect: "src/" },
    { description: "List a directory", input: { path: "src" }, expect: "main.ts\nmath.ts" },
  ],
  rules: ({ path }) => problemFrom("/path", () => checkRootPath(path)),
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: checkRootPath(args.path) }],
  },
  run({ path }, ctx) {
    return listDirectory(rootFile(ctx, { given: path, action: "list" }));
  },
});

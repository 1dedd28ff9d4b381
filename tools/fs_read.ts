import { defineTool } from "../src/registry/define.ts";

export default defineTool({
  name: "fs.read",
  aliases: ["fs_read"],
  title: "Read file",
  description: "Reads a text file of the repository",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "required",
  usageHint: "To see a whole file by its path in the repository",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "Path relative to the root, never absolute",
        pattern: "^[^/]",
      },
    },
    required: ["path"],
    additionalProperties: false,
  },
  examples: [
    { description: "Read a file", input: { path: "hello.txt" }, expect: "Hello" },
  ],
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: args.path }],
  },
  run: (args, ctx) => Deno.readTextFileSync(ctx.path(args.path)),
});

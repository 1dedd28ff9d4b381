import { withDataIfWanted } from "../src/base/content.ts";
import { listGlob } from "../src/toolkit/search/glob.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "Glob",
  title: "Find files by name",
  description:
    "Lists the files whose path matches a glob, as absolute paths, newest first. Lists at most 100 and " +
    "counts the rest. * matches within one name. ** as a whole component matches through directories: " +
    '"*.ts" matches only directly in path, "**/*.ts" at every depth. Hidden files match like others. ' +
    "Version control directories are searched only when the pattern names them (.git/*). Files that " +
    ".gitignore, .ignore or .rgignore exclude are listed only when the pattern begins with their path " +
    "(dist/**, debug.log). Never leaves path or follows symlinked directories.",
  category: "code",
  sideEffect: "read_only",
  helper: "rg",
  idempotent: true,
  optionality: "required",
  usageHint: "To find files when their name or place is partly known",
  inputSchema: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        description:
          "The glob, relative to path: *, ?, **, [a-z], [!a], {ts,tsx}, and \\ to escape. At most 4,096 " +
          "characters, without .. as a component.",
      },
      path: {
        type: "string",
        minLength: 1,
        description: "The directory to search. The default is the working directory.",
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  examples: [
    { description: "All TypeScript files", input: { pattern: "**/*.ts" }, expect: "/src/math.ts" },
    {
      description: "In one directory, two extensions",
      input: { pattern: "*.{md,txt}", path: "$ROOT" },
      expect: "/hello.txt",
    },
    {
      description: "An ignored file by its name",
      input: { pattern: "build/*" },
      expect: "/build/out.js",
    },
    {
      description: "A pattern that leaves the directory",
      input: { pattern: "../*" },
      expect: "it leaves the directory",
      isError: true,
    },
  ],
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: args.path ?? "." }],
  },
  timeoutMs: 30_000,
  run: async (args, ctx) => {
    const startedAt = performance.now();
    const { text, data } = await listGlob({ pattern: args.pattern, path: args.path }, ctx);
    return withDataIfWanted(ctx, text, () => {
      const durationMs = Math.round(performance.now() - startedAt);
      return { durationMs, ...data };
    });
  },
});

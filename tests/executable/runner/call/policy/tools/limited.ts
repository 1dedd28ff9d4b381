import { defineTool } from "../../../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "limited",
  aliases: ["restrained"],
  title: "Limited",
  description: "Adds a line to a file",
  category: "utility",
  sideEffect: "mutating",
  background: true,
  optionality: "optional",
  usageHint: "To see how many calls begin",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The file that gets a line", minLength: 1 },
      run_in_background: {
        type: "boolean",
        description: "Whether it runs as a background task",
        default: false,
      },
    },
    required: ["path"],
    additionalProperties: false,
  },
  examples: [{ description: "A line", input: { path: "lines" }, expect: "Added" }],
  permissions: { kinds: ["write"], needs: ({ path }) => [{ name: "write", path }] },
  // Forty processes that start at the same time take long on a busy machine.
  timeoutMs: 300_000,
  rateLimit: { calls: 10, windowMs: 600_000 },
  run({ path }, ctx) {
    Deno.writeTextFileSync(ctx.path(path), "began\n", { append: true });
    return "Added";
  },
});

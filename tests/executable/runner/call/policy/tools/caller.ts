import { defineTool } from "../../../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "caller",
  title: "Caller",
  description: "Calls the tool limited, as an agent does",
  category: "agent",
  sideEffect: "mutating",
  optionality: "optional",
  usageHint: "To see that inner calls are counted",
  uses: ["call"],
  inputSchema: {
    type: "object",
    properties: { path: { type: "string", description: "The file that gets a line" } },
    required: ["path"],
    additionalProperties: false,
  },
  examples: [{ description: "A line", input: { path: "lines" }, expect: "Added" }],
  permissions: { kinds: [], needs: () => [] },
  // Each process takes seconds to start on a busy machine.
  timeoutMs: 300_000,
  async run(args, ctx) {
    const { content, isError } = await ctx.call({ name: "limited", arguments: args });
    if (isError) throw new Error(`Inner: ${JSON.stringify(content)}`);
    return content;
  },
});

import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "greet",
  title: "A greeting",
  description: "Greets someone by name",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "The name" } },
    required: ["name"],
    additionalProperties: false,
  },
  examples: [{ description: "A greeting", input: { name: "World" }, expect: "Hello, World!" }],
  permissions: { kinds: [], needs: () => [] },
  run: ({ name }) => `Hello, ${name}!`,
});

import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "test_simple_text",
  title: "A text",
  description: "Returns a text",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "A text", input: {}, expect: "simple text" }],
  permissions: { kinds: [], needs: () => [] },
  run() {
    return "This is a simple text response for testing.";
  },
});

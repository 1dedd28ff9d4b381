import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "test_error_handling",
  title: "A failure",
  description: "Always fails",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "A failure", input: {}, expect: "intentionally", isError: true }],
  permissions: { kinds: [], needs: () => [] },
  run(): never {
    throw new Error("This tool intentionally returns an error for testing");
  },
});

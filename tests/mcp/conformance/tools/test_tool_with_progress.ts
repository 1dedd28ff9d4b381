import { defineTool } from "../../../../src/runner/registry/define.ts";
import { pause } from "../../../support/wait.ts";

export default defineTool({
  name: "test_tool_with_progress",
  title: "Progress",
  description: "Tells three times how far it is",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "Progress", input: {}, expect: "done" }],
  permissions: { kinds: [], needs: () => [] },
  async run(_, ctx) {
    for (const percent of [0, 50, 100]) {
      ctx.progress(`${percent} of 100`);
      await pause(50, "The suite wants this time between two messages.");
    }
    return "done";
  },
});

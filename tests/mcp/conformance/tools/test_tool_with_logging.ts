import { defineTool } from "../../../../src/runner/registry/define.ts";
import { pause } from "../../../support/wait.ts";

export default defineTool({
  name: "test_tool_with_logging",
  title: "Log lines",
  description: "Says three times what it does",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "Log lines", input: {}, expect: "done" }],
  permissions: { kinds: [], needs: () => [] },
  async run() {
    for (const line of ["started", "processing data", "completed"]) {
      // deno-lint-ignore no-console -- The scenario is about printed lines.
      console.info(`Tool execution ${line}`);
      await pause(50, "The suite wants this time between two messages.");
    }
    return "done";
  },
});

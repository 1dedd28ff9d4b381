import { defineTool } from "../../../../src/runner/registry/define.ts";
import { pause } from "../../../support/wait.ts";

export default defineTool({
  name: "slow_compute",
  title: "A slow computation",
  description: "Waits as a background task, and then returns a result",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  background: "always",
  inputSchema: {
    type: "object",
    properties: {
      seconds: { type: "integer", minimum: 0, maximum: 60, description: "The time that it takes" },
      label: { type: "string", description: "A name for the result" },
    },
    required: ["seconds"],
    additionalProperties: false,
  },
  examples: [{ description: "No wait", input: { seconds: 0 }, expect: "Started" }],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: 120_000,
  async run({ seconds, label = "nothing" }) {
    await pause(seconds * 1_000, "The suite asks for a slow call.");
    return `Computed ${label}`;
  },
});

import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "endless",
  title: "Endless",
  description: "Never ends, and looks at nothing meanwhile",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "To see that a time limit holds",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "Never end", input: {}, expect: "1000 ms", isError: true }],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: 1_000,
  run() {
    for (;;);
  },
});

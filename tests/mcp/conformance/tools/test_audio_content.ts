import { defineTool } from "../../../../src/runner/registry/define.ts";

/** A WAV of one silent sample. */
const SAMPLE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

export default defineTool({
  name: "test_audio_content",
  title: "A sound",
  description: "Returns one silent sample",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "A sound", input: {}, expect: "" }],
  permissions: { kinds: [], needs: () => [] },
  run() {
    return [{ type: "audio", data: SAMPLE, mimeType: "audio/wav" }];
  },
});

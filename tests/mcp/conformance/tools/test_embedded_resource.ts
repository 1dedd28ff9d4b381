import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "test_embedded_resource",
  title: "A resource",
  description: "Returns a resource with its text",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "A resource", input: {}, expect: "" }],
  permissions: { kinds: [], needs: () => [] },
  run() {
    return [{
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    }];
  },
});

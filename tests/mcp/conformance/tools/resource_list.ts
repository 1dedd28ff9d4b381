import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "resource.list",
  title: "Resources",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: {
    type: "object",
    properties: {
      places: { type: "array", description: "Ignored", items: { type: "string" } },
      after: { type: "string", description: "Ignored" },
      limit: { type: "integer", description: "Ignored" },
    },
    additionalProperties: false,
  },
  examples: [{ description: "All", input: {}, expect: "" }],
  permissions: { kinds: [], needs: () => [] },
  run: () =>
    ["static-text", "static-binary", "watched-resource"].map((name) => ({
      type: "resource_link",
      uri: `test://${name}`,
      name,
      description: `The resource ${name}`,
    })),
});

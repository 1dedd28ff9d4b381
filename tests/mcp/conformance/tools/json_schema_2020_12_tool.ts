import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "json_schema_2020_12_tool",
  title: "A schema",
  description: "Has an input schema with a definition of its own",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string", description: "A name" },
      address: { $ref: "#/$defs/address", description: "An address" },
    },
    additionalProperties: false,
  },
  examples: [{ description: "A schema", input: {}, expect: "ok" }],
  permissions: { kinds: [], needs: () => [] },
  run() {
    return "ok";
  },
});

import { defineTool } from "../src/runner/registry/define.ts";
import { listFileResources } from "../src/toolkit/resources/list_files.ts";

/** Answers `resources/list` of the MCP server. */
export default defineTool({
  name: "resource.list",
  aliases: ["resource_list"],
  title: "List resources",
  category: "mcp",
  sideEffect: "read_only",
  helper: "rg",
  idempotent: true,
  optionality: "optional",
  usageHint: "When an MCP client lists the resources",
  inputSchema: {
    type: "object",
    properties: {
      places: {
        type: "array",
        description: "The absolute paths of directories and files.",
        items: { type: "string", pattern: "^/" },
        maxItems: 100,
      },
      after: { type: "string", description: "The page begins after this file: address." },
      limit: {
        type: "integer",
        description: "The most files of a page.",
        minimum: 1,
        maximum: 1000,
        default: 100,
      },
    },
    required: ["places"],
    additionalProperties: false,
  },
  examples: [
    { description: "All files", input: { places: ["$ROOT"] }, expect: "/hello.txt" },
  ],
  permissions: {
    kinds: ["read"],
    needs: ({ places }) => places.map((path) => ({ name: "read", path })),
  },
  run: (args, ctx) => listFileResources(args, ctx),
});

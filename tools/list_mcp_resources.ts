import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import type { McpResource } from "../src/runner/registry/mcp_service.ts";

/** The longest description that is shown, in characters. */
const LONGEST = 500;

export default defineTool({
  name: "ListMcpResources",
  title: "List MCP resources",
  description:
    "Lists the resources of the configured MCP servers: one line each, with server, address, name, type and description. A template is an address with parts in braces. Use ReadMcpResource to read one. Servers that cannot be reached are named at the end.",
  category: "mcp",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "conditional",
  usageHint: "To find out which resources MCP servers have, before reading one",
  uses: ["mcp"],
  requires: ["MCP server"],
  inputSchema: {
    type: "object",
    properties: {
      server: {
        type: "string",
        description: "The server's name in the configuration. Default: all allowed servers.",
        minLength: 1,
      },
    },
    additionalProperties: false,
  },
  examples: [
    {
      description: "Without a configuration, the error tells where servers are named",
      input: {},
      expect: 'add it under "mcpServers" in "$ROOT/toolcall.json"',
      isError: true,
    },
    {
      description: "A server that is not configured",
      input: { server: "docs" },
      expect: 'Cannot use the MCP server "docs": none is configured',
      isError: true,
    },
  ],
  permissions: {
    kinds: ["mcp"],
    // The engine asks only the servers that the flags allow.
    needs: ({ server }) => server === undefined ? [] : [{ name: "mcp", server }],
  },
  timeoutMs: 90_000,
  maxRetries: 2,
  async run({ server }, ctx) {
    const { resources, notes } = await ctx.mcp.resources(server);
    const lines = resources.map(described).sort();
    if (lines.length === 0) lines.push("There are no resources");
    const text = [...lines, ...notes.map((note) => `[${note}]`)].join("\n");
    return withDataIfWanted(ctx, text, () => ({
      resources: resources.map(({ uri, name, mimeType, description, server }) => ({
        ...{ uri, name, server },
        ...(mimeType !== undefined && { mimeType }),
        ...(description !== undefined && { description }),
      })),
    }));
  },
});

function described({ server, uri, isTemplate, name, mimeType, description }: McpResource): string {
  const facts = [isTemplate ? "template" : "", name === uri ? "" : name, mimeType ?? ""]
    .filter((fact) => fact !== "").join(", ");
  const head = `${server}  ${uri}${facts === "" ? "" : ` (${facts})`}`;
  if (description === undefined) return head;
  const line = description.replace(/\s+/g, " ");
  const left = line.length - LONGEST;
  return `${head}: ${left > 0 ? `${line.slice(0, LONGEST)}… (${left} more characters)` : line}`;
}

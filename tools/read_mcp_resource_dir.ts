import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "ReadMcpResourceDir",
  title: "List an MCP directory",
  description:
    "Lists what is directly inside a directory of a configured MCP server: one line for each resource, with address, name and type. The type inode/directory marks a directory. If the server cannot list a directory, the addresses of all its resources are used.",
  category: "mcp",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "conditional",
  usageHint: "To browse the resources of an MCP server that are ordered in directories",
  uses: ["mcp"],
  requires: ["MCP server"],
  inputSchema: {
    type: "object",
    properties: {
      server: {
        type: "string",
        description: "The server's name in the configuration.",
        minLength: 1,
      },
      uri: { type: "string", description: "The directory's address.", minLength: 1 },
    },
    required: ["server", "uri"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Without a configuration, the error tells where servers are named",
      input: { server: "docs", uri: "docs://guide" },
      expect: 'add it under "mcpServers" in "$ROOT/toolcall.json"',
      isError: true,
    },
  ],
  permissions: {
    kinds: ["mcp"],
    needs: ({ server }) => [{ name: "mcp", server }],
  },
  timeoutMs: 90_000,
  maxRetries: 2,
  async run({ server, uri }, ctx) {
    const { resources, notes } = await ctx.mcp.directory(server, uri);
    const lines = resources.map(({ uri, name, mimeType }) =>
      `${uri} (${[name, mimeType ?? ""].filter((fact) => fact !== "").join(", ")})`
    ).sort();
    if (lines.length === 0) lines.push("The directory is empty");
    const text = [...lines, ...notes.map((note) => `[${note}]`)].join("\n");
    return withDataIfWanted(ctx, text, () => ({
      resources: resources.map(({ uri, name, mimeType }) => ({
        ...{ uri, name },
        ...(mimeType !== undefined && { mimeType }),
      })),
    }));
  },
});

import { defineTool } from "../src/runner/registry/define.ts";
import type { ContentBlock, ResourceContents } from "../src/base/content.ts";

/** The longest text of a resource that is shown, in characters. */
const MAX_TEXT = 100_000;

export default defineTool({
  name: "ReadMcpResource",
  title: "Read MCP resource",
  description:
    "Reads a resource of a configured MCP server by its address, as listed by ListMcpResources or made from a template. Returns text (up to 100,000 characters, with a note if there is more), images (PNG, JPEG, GIF, WebP), audio, or other data as base64.",
  category: "mcp",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "conditional",
  usageHint: "To see the content of an MCP resource",
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
      uri: { type: "string", description: "The resource's address.", minLength: 1 },
    },
    required: ["server", "uri"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Without a configuration, the error tells where servers are named",
      input: { server: "docs", uri: "docs://readme" },
      expect: 'add it under "mcpServers" in "$ROOT/toolcall.json"',
      isError: true,
    },
    {
      description: "A page that a template made the address of",
      input: { server: "notes", uri: "notes://page/2" },
      expect: 'Cannot use the MCP server "notes": none is configured',
      isError: true,
    },
  ],
  permissions: {
    kinds: ["mcp"],
    needs: ({ server }) => [{ name: "mcp", server }],
  },
  timeoutMs: 120_000,
  maxRetries: 2,
  async run({ server, uri }, ctx) {
    const contents = await ctx.mcp.read(server, uri);
    if (contents.length === 0) {
      throw new Error(`Cannot read "${uri}": the server gives no contents`);
    }
    return contents.map((each) => blockOf(each, contents.length > 1));
  },
});

function blockOf(contents: ResourceContents, isOfMany: boolean): ContentBlock {
  const { uri, mimeType = "" } = contents;
  if ("text" in contents) {
    const text = shortened(contents.text);
    return { type: "text", text: isOfMany ? `[${uri}]\n${text}` : text };
  }
  const { blob: data } = contents;
  if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType)) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: contents };
}

function shortened(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const left = text.length - MAX_TEXT;
  return `${text.slice(0, MAX_TEXT)}\n[${left} more characters of ${text.length} are not shown]`;
}

/** A server of the newest revision of the protocol and of those before, over stdio. */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new McpServer({ name: "modern", version: "1" }, {
    capabilities: { tools: { listChanged: true } },
  });
  const inputSchema = fromJsonSchema({
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  });
  server.registerTool("say", { description: "Says it", inputSchema }, (args, context) => ({
    content: [{
      type: "text",
      text: `${(args as { text: string }).text} ${JSON.stringify(context.mcpReq?.envelope ?? {})}`,
    }],
  }));
  server.registerTool("grow", { description: "One more tool" }, () => {
    server.registerTool("grown", { description: "It is new" }, () => ({ content: [] }));
    return { content: [{ type: "text", text: "grown" }] };
  });
  const about = { description: "What it is", mimeType: "text/plain" };
  server.registerResource("about", "memory://about", about, () => ({
    contents: [{ uri: "memory://about", text: "A server for tests" }],
  }));
  return server;
});

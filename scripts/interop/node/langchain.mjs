import { MultiServerMCPClient } from "@langchain/mcp-adapters";

export async function connect(server) {
  let onUpdate = () => {};
  const client = new MultiServerMCPClient({
    mcpServers: { server: { transport: "stdio", stderr: "ignore", ...server } },
    defaultToolTimeout: 120_000,
    onProgress: (progress) => onUpdate(progress),
  });
  const tools = await client.getTools();
  return {
    list: async () => (await client.getTools()).map(({ name }) => name),
    async call(name, args, { signal, onProgress = () => {} } = {}) {
      onUpdate = onProgress;
      const tool = tools.find((each) => each.name === name);
      const call = { type: "tool_call", id: "1", name, args };
      const message = await tool.invoke(call, { signal });
      const blocks = typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : message.content;
      const artifacts = [message.artifact ?? []].flat();
      return {
        text: blocks.map((block) => block.text ?? "").join("\n"),
        images: blocks.flatMap((block) => block.data ?? block.image_url?.url ?? []),
        data: artifacts.map((each) => each?.structuredContent ?? each?.data).find(Boolean) ??
          message.artifact?.structuredContent,
        isError: message.status === "error",
      };
    },
    close: () => client.close(),
  };
}

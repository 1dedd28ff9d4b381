import { MCPServerStdio } from "@openai/agents";
import { fromResult } from "./results.mjs";

export async function connect(server) {
  const client = new MCPServerStdio({
    ...server,
    name: "server",
    clientSessionTimeoutSeconds: 120,
    timeout: 120_000,
  });
  await client.connect();
  return {
    list: async () => (await client.listTools()).map(({ name }) => name),
    call: async (name, args, { signal } = {}) =>
      fromResult(await client.callToolResult(name, args, null, { signal })),
    close: () => client.close(),
  };
}

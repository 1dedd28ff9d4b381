import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { fromResult } from "./results.mjs";

export async function connect(server) {
  const client = await createMCPClient({
    transport: new StdioTransport({ ...server, stderr: "ignore" }),
  });
  const tools = await client.tools();
  return {
    list: async () => Object.keys(await client.tools()),
    call: async (name, args, { signal } = {}) =>
      fromResult(
        await tools[name].execute(args, { abortSignal: signal, toolCallId: "1", messages: [] }),
      ),
    close: () => client.close(),
  };
}

import { MCPClient } from "mcp-client";
import { fromResult } from "./results.mjs";

export async function connect({ command, args, cwd, env }) {
  const client = new MCPClient({ name: "interop", version: "1.0.0" });
  await client.connect({ type: "stdio", command, args, cwd, env, stderr: "ignore" });
  return {
    list: async () => (await client.getAllTools()).map(({ name }) => name),
    call: async (name, args, { signal, onProgress } = {}) =>
      fromResult(
        await client.callTool({ name, arguments: args }, {
          requestOptions: { signal, onProgress, timeout: 120_000 },
        }),
      ),
    close: () => client.close(),
  };
}

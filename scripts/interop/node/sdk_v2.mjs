import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fromResult } from "./results.mjs";

export async function connect(server) {
  const client = new Client({ name: "interop", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, { signal, onProgress = () => {} } = {}) =>
      fromResult(
        await client.callTool({ name, arguments: args }, {
          ...{ signal, onprogress: onProgress, resetTimeoutOnProgress: true },
        }),
      ),
    close: () => client.close(),
  };
}

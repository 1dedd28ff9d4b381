import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { fromResult } from "./results.mjs";

export async function connect(server) {
  const client = new Client({ name: "interop", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, { signal, onProgress = () => {} } = {}) =>
      fromResult(
        await client.callTool({ name, arguments: args }, undefined, {
          ...{ signal, onprogress: onProgress, resetTimeoutOnProgress: true },
        }),
      ),
    close: () => client.close(),
  };
}

import { MCPClient } from "@mastra/mcp";
import { fromResult } from "./results.mjs";

export async function connect({ command, args, cwd, env }) {
  const client = new MCPClient({
    id: crypto.randomUUID(),
    servers: {
      server: { command, args, cwd, env, stderr: "ignore", enableProgressTracking: true },
    },
    timeout: 120_000,
  });
  let onUpdate = () => {};
  await client.progress.onUpdate("server", (progress) => onUpdate(progress));
  const tools = await client.listTools();
  return {
    list: async () => Object.keys(await client.listTools()),
    async call(name, args, { signal, onProgress = () => {} } = {}) {
      onUpdate = onProgress;
      const result = await tools[`server_${name}`].execute(args, { abortSignal: signal });
      // Arguments that do not fit the schema are reported, not thrown.
      if (result?.error === true) return { text: result.message, isError: true };
      if (result?.content === undefined) {
        return { text: JSON.stringify(result), data: result, isError: false };
      }
      return fromResult(result);
    },
    close: () => client.disconnect(),
  };
}

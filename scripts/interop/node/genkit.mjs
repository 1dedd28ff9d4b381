import { genkit } from "genkit";
import { createMcpHost } from "@genkit-ai/mcp";
import { fromResult } from "./results.mjs";

export async function connect({ command, args, cwd, env }) {
  const ai = genkit({});
  const host = createMcpHost({
    name: "interop",
    mcpServers: { server: { command, args, cwd, env, stderr: "ignore" } },
    rawToolResponses: true,
  });
  await host.ready?.();
  const nameOf = (tool) => tool.__action.name.replace(/^.*\//, "");
  const tools = await host.getActiveTools(ai);
  return {
    list: async () => (await host.getActiveTools(ai)).map(nameOf),
    async call(name, args, { signal } = {}) {
      const tool = tools.find((each) => nameOf(each) === name);
      return fromResult(await tool(args, { abortSignal: signal }));
    },
    close: () => host.close(),
  };
}

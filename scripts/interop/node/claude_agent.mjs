import process from "node:process";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { scriptedModel } from "./scripted_model.mjs";

export function connect({ command, args, env }) {
  async function run(call, { signal } = {}) {
    const model = await scriptedModel(call);
    const abortController = new AbortController();
    signal?.addEventListener("abort", () => abortController.abort(), { once: true });
    const messages = query({
      prompt: "Go",
      options: {
        ...{ abortController, model: "claude-sonnet-4-5", maxTurns: 4, tools: [] },
        ...{ settingSources: [], allowedTools: ["mcp__server"], cwd: process.cwd() },
        mcpServers: { server: { type: "stdio", command, args, env, alwaysLoad: true } },
        env: {
          ...process.env,
          HOME: process.cwd(),
          ANTHROPIC_BASE_URL: model.origin,
          ANTHROPIC_API_KEY: "none",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          ENABLE_TOOL_SEARCH: "false",
        },
        stderr: () => {},
      },
    });
    try {
      for await (const _ of messages);
    } finally {
      model.close();
    }
    return model.state;
  }
  return {
    list: async () => (await run()).names,
    async call(tool, args, options) {
      const { result } = await run({ tool, args }, options);
      if (result === undefined) throw new Error("the agent sent no result");
      return result;
    },
  };
}

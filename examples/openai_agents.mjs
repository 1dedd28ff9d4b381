// The OpenAI Agents SDK, over MCP. It runs the tools of every MCP server by itself.
import { Agent, MCPServerStdio, run, setOpenAIAPI } from "@openai/agents";

setOpenAIAPI("chat_completions");
const command = "toolcall";
const server = new MCPServerStdio({ command, args: ["mcp", "--allow-read=.", "--tools=Read"] });
await server.connect();
const model = process.env.MODEL;
const agent = new Agent({ name: "Reader", model, mcpServers: [server] });
const { finalOutput } = await run(agent, process.argv[2]);
console.log(finalOutput);
await server.close();

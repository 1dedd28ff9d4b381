/**
 * The MCP clients from npm, in exact versions. None needs an account: a scripted model drives the
 * agents.
 */

/** A client. */
export interface Client {
  /** The name for `--client`, which is the name of its file in `node/` too. */
  name: string;
  /** The name for readers. */
  title: string;
  /** Its packages. The first one is the client. */
  packages: readonly [string, ...string[]];
  /** True for an agent, whose executable has a hundred megabytes or more. */
  isAgent?: true;
  /** The options that it gets, if they are not the default. */
  options?: string;
}

/** All clients, in the order of the table. */
export const clients: readonly Client[] = [
  {
    name: "sdk_v1",
    title: "MCP SDK 1",
    packages: ["@modelcontextprotocol/sdk@1.32.2"],
    options: "`onprogress`, `resetTimeoutOnProgress`",
  },
  {
    name: "sdk_v2",
    title: "MCP SDK 2",
    packages: ["@modelcontextprotocol/client@2.4.0"],
    options: "`onprogress`, `resetTimeoutOnProgress`",
  },
  {
    name: "inspector",
    title: "MCP Inspector",
    packages: ["@modelcontextprotocol/inspector@2.12.0"],
  },
  { name: "mcporter", title: "mcporter", packages: ["mcporter@0.12.3"], options: "`--timeout`" },
  { name: "ai_sdk", title: "AI SDK", packages: ["@ai-sdk/mcp@2.0.99", "ai@7.0.173"] },
  {
    name: "langchain",
    title: "LangChain",
    packages: ["@langchain/mcp-adapters@1.1.4", "@langchain/core@1.4.0"],
    options: "`defaultToolTimeout`, `onProgress`",
  },
  {
    name: "openai_agents",
    title: "OpenAI Agents",
    packages: ["@openai/agents@0.20.0"],
    options: "`timeout`, `clientSessionTimeoutSeconds`",
  },
  {
    name: "mastra",
    title: "Mastra",
    packages: ["@mastra/mcp@2.0.0", "@mastra/core@1.71.0"],
    options: "`timeout`, `enableProgressTracking`",
  },
  {
    name: "genkit",
    title: "Genkit",
    packages: ["@genkit-ai/mcp@1.42.0", "genkit@1.42.0"],
    options: "`rawToolResponses`",
  },
  {
    name: "mcp_client",
    title: "mcp-client, by FastMCP's author",
    packages: ["mcp-client@1.13.1"],
    options: "`timeout`",
  },
  {
    name: "claude_agent",
    title: "Claude Agent SDK",
    packages: ["@anthropic-ai/claude-agent-sdk@0.3.329"],
    isAgent: true,
  },
  {
    name: "codex",
    title: "Codex",
    packages: ["@openai/codex@0.169.0"],
    options: "`tool_timeout_sec`",
    isAgent: true,
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    packages: ["@google/gemini-cli@0.61.0"],
    options: "`timeout`",
    isAgent: true,
  },
];

/** The reference server, which shows the limits that a client has with every server. */
export const REFERENCE = "@modelcontextprotocol/server-everything@2026.8.31";

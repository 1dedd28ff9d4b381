/** An MCP server whose descriptions, results, logs and names are hostile to a page. */
import { createInterface } from "node:readline";
import { hostileTexts } from "../../hostile_texts.ts";

const tools = hostileTexts.map((text, at) => ({
  name: `tool_${at}`,
  title: text,
  description: text,
  inputSchema: {
    type: "object",
    properties: { [`value ${text}`]: { type: "string", title: text, description: text } },
  },
}));

const answers: Readonly<Record<string, (params: Record<string, unknown>) => unknown>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "<script>hit()</script>", version: "1" },
    instructions: "<img src=x onerror=hit()>",
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => {
    const text = hostileTexts[Number(String(name).slice("tool_".length))]!;
    return { content: [{ type: "text", text }], structuredContent: { rows: [{ [text]: text }] } };
  },
  ping: () => ({}),
};

console.error(hostileTexts.join("\n"));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const rest = answer === undefined
    ? { error: { code: -32601, message: "<script>hit()</script>" } }
    : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...rest })}\n`);
}

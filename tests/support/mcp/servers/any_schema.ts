/**
 * A server over stdio with one tool, `echo`, whose input schema is the first argument. It answers
 * with the second argument if there is one, otherwise with the arguments as structured data.
 */
const [inputSchema, fixed] = Deno.args.map((text) => JSON.parse(text));

function send(message: object): void {
  const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
}

function receive(line: string): void {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "any", version: "1" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [{ name: "echo", description: "Echoes", inputSchema }] } });
  } else if (method === "tools/call") {
    const structuredContent = params.arguments;
    const text = JSON.stringify(structuredContent);
    send({ id, result: fixed ?? { content: [{ type: "text", text }], structuredContent } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "Unknown method" } });
}

let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop()!;
  lines.forEach(receive);
}

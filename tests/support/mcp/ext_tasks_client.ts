/**
 * Calls a tool of a server over stdio with the client of MCP's extension for tasks, and prints the
 * outcome as JSON. Arguments: the specifiers of the SDK and of the extension, and the call as JSON.
 */
const [sdk, extension, text] = Deno.args as [string, string, string];
const { Client } = await import(sdk);
const { StdioClientTransport } = await import(`${sdk}/stdio`);
const { createTaskSessionFromClient } = await import(`${extension}/client`);
const order: {
  server: { command: string; args: string[]; cwd: string };
  tool: string;
  args: Record<string, unknown>;
  cancels?: boolean;
} = JSON.parse(text);

const clientInfo = { name: "ext-tasks", version: "1" };
const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
const transport = new StdioClientTransport({ ...order.server, env: Deno.env.toObject() });
await client.connect(transport);

// The SDK refuses a task as the result of a call, so these requests bypass it.
const waiting = new Map<string, (message: Record<string, unknown>) => void>();
const { onmessage } = transport;
transport.onmessage = (message: { id?: string }, ...more: unknown[]) => {
  const resolve = waiting.get(message.id ?? "");
  if (resolve === undefined) return onmessage(message, ...more);
  waiting.delete(message.id!);
  resolve(message);
};
let count = 0;
const methods: string[] = [];
async function rawDispatch(request: { method: string }) {
  const id = `raw-${++count}`;
  methods.push(request.method);
  const answer = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
  await transport.send({ jsonrpc: "2.0", id, ...request });
  const { result, error } = await answer;
  return error === undefined ? { kind: "result", result } : { kind: "error", error };
}

const session = createTaskSessionFromClient(client, {
  endpointId: "toolcall",
  rawDispatch,
  v2RequestFraming: { protocolVersion: "2026-07-28", clientInfo, clientCapabilities: {} },
});
const execution = await session.callTool(order.tool, order.args);
if (order.cancels) await execution.cancel();
const { outcome } = await execution.settle();
await session.close();
await client.close();
await new Blob([JSON.stringify({ outcome, methods })]).stream().pipeTo(Deno.stdout.writable);

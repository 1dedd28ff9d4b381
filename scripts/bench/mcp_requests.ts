/** The messages of MCP that the bench sends. */
import { LineClient } from "./line_client.ts";
import type { Program } from "./processes.ts";

/** The revision that the peers speak too. */
const REVISION = "2025-06-18";

/** The first request of a client. */
export function initializeRequest(id: number): string {
  const clientInfo = { name: "toolcall-bench", version: "1" };
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
}

/** The message that a client sends after the answer to its first request. */
export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** A tool with its arguments. */
export interface ToolCall {
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

/** A function that makes the request of a call with an id. */
export function toolsCall({ name, arguments: args }: ToolCall): (id: number) => string {
  const params = JSON.stringify({ name, arguments: args });
  return (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
}

/** Starts an MCP server over stdio, and waits until it has answered the first request. */
export async function startMcpServer(program: Program): Promise<LineClient> {
  const client = new LineClient(program);
  await client.exchange({ count: 1, inFlight: 1, request: initializeRequest });
  client.notify(INITIALIZED);
  return client;
}

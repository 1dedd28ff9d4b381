/** Requests of a client of revision 2026-07-28, which has no session. */

/** The name of MCP's extension for tasks. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** Whether a client takes tasks, and its other capabilities. */
interface ClientOptions {
  takesTasks?: boolean;
  capabilities?: Record<string, unknown>;
}

/** Adds the description of the client to the parameters, as each request of the revision needs it. */
export function modernParams(
  params: Record<string, unknown>,
  { takesTasks = true, capabilities = {} }: ClientOptions = {},
): Record<string, unknown> {
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {
        ...capabilities,
        ...(takesTasks && { extensions: { [TASKS]: {} } }),
      },
    },
  };
}

/** Sends such a request over HTTP. */
export async function postModern(
  url: string,
  method: string,
  params: Record<string, unknown>,
  options: ClientOptions = {},
): Promise<Response> {
  const name = params["name"] ?? params["taskId"];
  return await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: modernParams(params, options) }),
  });
}

/** A server over HTTP in a new directory, and the requests of its client. */
import { temporaryDirectory } from "../../support/executable.ts";
import { initialize, listen, type Listening } from "../../support/mcp/peer.ts";
import { until } from "../../support/wait.ts";

/** Starts a server with `-A` in a new directory. */
export async function served(
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<Listening & { directory: string }> {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/file.txt`, "what is inside\n");
  const server = await listen(["-A", `--state-dir=${directory.path}/state`, ...flags], {
    cwd: directory.path,
    env,
  });
  return {
    ...server,
    directory: directory.path,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

/** The header field `accept` of a client of MCP. */
export const accept = "application/json, text/event-stream";

/** Sends a request with this body. */
export function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Begins a session and returns the header fields of its requests. */
export async function session(url: string): Promise<Record<string, string>> {
  const response = await post(url, initialize);
  await response.text();
  const headers = {
    "mcp-session-id": response.headers.get("mcp-session-id")!,
    "mcp-protocol-version": "2025-11-25",
  };
  await (await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)).text();
  return headers;
}

/** The request of a call. */
export function callOf(name: string, args: Record<string, unknown>, id = 1) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

/** Waits until a request without a session is answered with that status. */
export function answered(url: string, status: number): Promise<boolean> {
  return until(async () => {
    const response = await post(url, callOf("x", {})).catch(() => undefined);
    await response?.body?.cancel();
    return response?.status === status;
  });
}

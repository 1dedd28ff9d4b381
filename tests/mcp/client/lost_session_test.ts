/** A server at an address that forgets its sessions, as it does when it restarts. */
import { expect } from "@std/expect";
import { world } from "../../support/mcp/client_world.ts";
import { Peer } from "../../support/mcp/peer.ts";

/** A server with sessions. */
function sessionServer() {
  const sessions = new Set<string>();
  const seen = { initialize: 0, calls: 0, refused: 0 };
  const answer = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params } = await request.json();
    const session = request.headers.get("mcp-session-id") ?? "";
    if (method !== "initialize" && !sessions.has(session)) {
      if (session !== "") seen.refused++;
      return Response.json({
        jsonrpc: "2.0",
        id,
        error: { code: -32001, message: "Session not found" },
      }, {
        status: session === "" ? 400 : 404,
      });
    }
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "initialize") {
      seen.initialize++;
      const own = crypto.randomUUID();
      sessions.add(own);
      const { protocolVersion } = params;
      const serverInfo = { name: "forgetful", version: "1" };
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
      return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": own } });
    }
    const results: Record<string, () => unknown> = {
      "tools/list": () => ({ tools: [{ name: "count", inputSchema: { type: "object" } }] }),
      "tools/call": () => ({ content: [{ type: "text", text: String(++seen.calls) }] }),
    };
    const result = results[method]?.();
    return Response.json(
      result === undefined
        ? { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }
        : { jsonrpc: "2.0", id, result },
    );
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
    seen,
    forget: () => sessions.clear(),
    /** Forgets each session at once. */
    forgetAlways: () => sessions.add = () => sessions,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("mcp client > a call whose session the server has forgotten is sent once more, in a new session", async () => {
  await using server = sessionServer();
  using place = world(() => ({ it: { url: server.url, type: "http" } }));
  await using peer = Peer.start(["--allow-mcp", `--state-dir=${place.path}/state`], {
    cwd: place.path,
  });
  await peer.initialize();
  const texts = async (count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => peer.call("mcp__it__count")),
    );
    return answers.map(({ result }) => result.content[0].text).sort();
  };
  expect(await texts(1)).toEqual(["1"]);
  const { initialize } = server.seen;
  server.forget();
  // Calls at once share the new session, and each runs once.
  expect(await texts(3)).toEqual(["2", "3", "4"]);
  expect(server.seen.calls).toBe(4);
  expect(server.seen.initialize).toBe(initialize + 1);
  server.forgetAlways();
  server.forget();
  const { result } = await peer.call("mcp__it__count");
  expect(result._meta["toolcall/error"]).toEqual({ code: "unavailable", server: "it" });
  expect(result.content[0].text).toMatch(/HTTP 404.*Session not found/);
  expect(server.seen.calls).toBe(4);
});

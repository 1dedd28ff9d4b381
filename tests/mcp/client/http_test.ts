/** MCP servers at an address that misbehave. */
import { expect } from "@std/expect";
import { TOKEN, world } from "../../support/mcp/client_world.ts";

type Handler = (request: Request) => Response | Promise<Response>;

function serve(handler: Handler) {
  const stop = new AbortController();
  const { signal } = stop;
  const onError = () => new Response(null);
  const options = { hostname: "127.0.0.1", port: 0, signal, onListen() {}, onError };
  const server = Deno.serve(options, handler);
  return {
    address: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      // This also ends answers that are still open.
      stop.abort();
      await server.finished;
    },
  };
}

/** An answer without end. */
function endless(type: string): Response {
  const part = new Uint8Array(2 ** 16).fill(120);
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: ")),
    pull: (controller) => controller.enqueue(part),
  });
  return new Response(body, { headers: { "content-type": type } });
}

const faults: [name: string, type: string | undefined, handler: Handler, says: RegExp][] = [
  [
    "authentication is required",
    undefined,
    ({ headers }) => new Response(`No: ${headers.get("authorization")}`, { status: 401 }),
    /HTTP 401, which requires authentication; set "headers": the server requires/,
  ],
  ["the status 500", "http", () => new Response("Boom\u001b[2J", { status: 500 }), /HTTP 500/],
  ["the status 404", undefined, () => new Response("?", { status: 404 }), /HTTP 404/],
  ["an answer without end", "http", () => endless("application/json"), /more than 16 MiB/],
  ["an event without end", "sse", () => endless("text/event-stream"), /gave no answer|16 MiB/],
  ["another content type", "http", () => new Response("<html>"), /content type/i],
  ["no answer", "http", () => new Promise(() => {}), /did not respond within 2000 ms/],
];
for (const [name, type, handler, says] of faults) {
  Deno.test({
    name: `mcp client > the connection to a server at an address fails: ${name}`,
    // The server's side of an interrupted answer may end after the test.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using server = serve(handler);
      using place = world(() => ({
        it: {
          url: `${server.address}/mcp?key=\${TOKEN}`,
          headers: { Authorization: "Bearer ${TOKEN}" },
          startTimeout: name === "no answer" ? 2_000 : 60_000,
          ...(type && { type }),
        },
      }));
      const result = await place.call("mcp__it__echo");
      expect([result.exit, result.text.slice(0, 15)]).toEqual([8, "Cannot connect:"]);
      expect(result.text).toMatch(says);
      expect(result.text).not.toContain("\u001b");
      expect(JSON.stringify(result) + place.kept()).not.toContain(TOKEN);
    },
  });
}

Deno.test("mcp client > a redirect to another host is not followed", async () => {
  let followed = 0;
  await using other = serve(() => {
    followed++;
    return Response.json({});
  });
  for (const status of [302, 307, 308]) {
    await using server = serve(() =>
      new Response(null, { status, headers: { location: `${other.address}/mcp` } })
    );
    for (const type of ["http", "sse"]) {
      using place = world(() => ({ it: { url: server.address, type, startTimeout: 60_000 } }));
      const result = await place.call("mcp__it__echo");
      expect(result.exit).toBe(8);
    }
  }
  expect(followed).toBe(0);
});

Deno.test("mcp client > an address where no server listens is an error without secrets", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  using place = world(() => ({ it: { url: `http://127.0.0.1:${port}/?key=${TOKEN}` } }));
  const result = await place.call("mcp__it__echo");
  expect(result.exit).toBe(8);
  expect(result.text).toContain("refused");
  expect(JSON.stringify(result)).not.toContain(TOKEN);
});

/** A server of an older revision. The name of the tool says how it answers a call. */
async function answerUnreadably(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method, params } = await request.json();
  if (id === undefined) return new Response(null, { status: 202 });
  const answer = (result: unknown) => Response.json({ jsonrpc: "2.0", id, result });
  const serverInfo = { name: "unreadable", version: "1" };
  const inputSchema = { type: "object" };
  const tools = ["nan", "stream", "list"].map((name) => ({ name, description: ".", inputSchema }));
  if (method === "server/discover") return new Response(null, { status: 400 });
  if (method === "initialize") {
    return answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  }
  if (method === "tools/list") return answer({ tools });
  if (params.name === "list") return answer([1]);
  const text = `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"v":NaN}}}`;
  return params.name === "nan"
    ? new Response(text, { headers: { "content-type": "application/json" } })
    : new Response(`data: ${text}\n\n`, { headers: { "content-type": "text/event-stream" } });
}

Deno.test("mcp client > an answer from an address that cannot be read is an error that says why", async () => {
  await using server = serve(answerUnreadably);
  using place = world(() => ({ it: { url: server.address, timeout: 1_000 } }));
  for (
    const [tool, exit, says] of [
      ["nan", 1, /answers with what is no JSON-RPC message: Unexpected token 'N', .*NaN/],
      ["list", 1, /answers with what is no JSON-RPC message: "\/" is not as MCP defines it/],
      // The stream may still bring the answer, so the call waits.
      ["stream", 7, /within 1000 ms; the last message .* could not be read: Unexpected token 'N'/],
    ] as const
  ) {
    const result = await place.call(`mcp__it__${tool}`);
    expect([tool, result.exit]).toEqual([tool, exit]);
    expect(result.text).toMatch(says);
    expect(result.text).not.toContain("\n");
  }
});

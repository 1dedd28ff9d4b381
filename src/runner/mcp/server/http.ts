import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import { delay } from "@std/async/delay";
import { type Gate, preflight, readable, refuseForeign, refuseStranger } from "./gate.ts";
import { bodyOf } from "./http_body.ts";
import { httpError } from "./http_error.ts";
import type { Served } from "./served.ts";
import { mcpServer } from "./server.ts";
import { Sessions } from "./sessions.ts";

/** The one path there is. */
const PATH = "/mcp";
/** How many posted requests may be without their whole answer; more are asked to come again. */
const MAX_AT_ONCE = 128;
/** How long it is before the server listens again when it could not, in milliseconds. */
const AGAIN_MS = 1_000;
/** How long calls that run may take to end when the server is to stop, in milliseconds. */
const STOP_MS = 5_000;

/** A server that listens. */
export interface HttpServer {
  /** Where it is reached. */
  url: string;
  /** Stops listening, waits a moment for the answers that are due, and ends what is left. */
  close(): Promise<void>;
}

/**
 * MCP over streamable HTTP. Clients of 2026-07-28 send each request by itself; those before
 * it have a session each, and may come back to one. Throws what the system says when it
 * cannot listen.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "Streamable HTTP"
 */
export function serveHttp(served: Served, { port, ...gate }: Gate & { port: number }): HttpServer {
  const sessions = new Sessions(served);
  // Of a client that goes the runtime tells only once an answer has begun: so that begins at once.
  const modern = createMcpHandler(() => mcpServer(served), {
    legacy: "reject",
    responseMode: "sse",
    maxSubscriptions: MAX_AT_ONCE,
  });
  const unsubscribe = served.settings.registry.subscribe(() => modern.notify.toolsChanged());
  let [open, isStopping] = [0, false];
  let listener = listen(port);
  const { addr } = listener;
  stayListening();
  const host = addr.hostname.includes(":") ? `[${addr.hostname}]` : addr.hostname;
  return {
    url: `http://${host}:${addr.port}${PATH}`,
    async close() {
      isStopping = true;
      unsubscribe();
      const stopped = listener.shutdown().catch(() => {});
      for (const end = performance.now() + STOP_MS; open > 0 && performance.now() < end;) {
        await delay(20);
      }
      await Promise.all([sessions.close(), modern.close()]);
      await Promise.race([stopped, delay(1_000)]);
    },
  };

  function listen(at: number): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve({ hostname: gate.hostname, port: at, onListen() {} }, answer);
  }

  /** Connections that take up all descriptors end the listening, and not what else there is. */
  async function stayListening(): Promise<void> {
    while (!isStopping) {
      try {
        await listener.finished;
      } catch {
        await delay(AGAIN_MS);
      }
      if (isStopping) return;
      try {
        listener = listen(addr.port);
      } catch { /* Not yet: the one before is still the one that failed. */ }
    }
  }

  async function answer(request: Request): Promise<Response> {
    // A Host that is none makes an address that is none.
    if (!URL.canParse(request.url)) return httpError(400, "The header Host is no host");
    return refuseForeign(request, gate, addr.port) ??
      readable(preflight(request) ?? await answerAllowed(request), request);
  }

  async function answerAllowed(request: Request): Promise<Response> {
    // Clients look for documents of OAuth before they have a token: there are none.
    if (new URL(request.url).pathname !== PATH) return httpError(404, `The only path is ${PATH}`);
    const refused = await refuseStranger(request, gate);
    if (refused) return refused;
    if (request.method !== "POST") return await sessions.handle(request);
    if (open >= MAX_AT_ONCE) {
      return httpError(503, `${MAX_AT_ONCE} requests are open already`, { "retry-after": "1" });
    }
    open++;
    const end = once(() => void open--);
    try {
      return whenRead(await post(request, end), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async function post(request: Request, end: () => void): Promise<Response> {
    if (!/^application\/json(;|$)/i.test(request.headers.get("content-type") ?? "")) {
      return httpError(415, "The content type has to be application/json");
    }
    try {
      const copy = new Request(request.url, {
        method: "POST",
        headers: request.headers,
        signal: request.signal,
      });
      const body = await bodyOf(request);
      // It has no end, and the SDK bounds how many there are.
      if (methodOf(body) === "subscriptions/listen") end();
      const isLegacy = await isLegacyRequest(copy, body);
      return isLegacy
        ? await sessions.handle(copy, body)
        : await modern.fetch(copy, { parsedBody: body });
    } catch (error) {
      if (error instanceof Response) return error;
      throw error;
    }
  }
}

const methodOf = (body: unknown): unknown => isObject(body) ? body["method"] : undefined;

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** The response, with `end` called when its body has been read or is wanted no more. */
function whenRead(response: Response, end: () => void): Response {
  if (response.body === null) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (isStream) controller.enqueue(new TextEncoder().encode(":\n\n"));
    },
    async pull(controller) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
      if (!done) return controller.enqueue(value!);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}

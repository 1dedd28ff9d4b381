import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { delay } from "@std/async/delay";
import { withBrackets } from "../../../base/host.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { withErrorStatus } from "./error_status.ts";
import { onBodyEnd, readJsonBody } from "./http_body.ts";
import {
  type GuardOptions,
  httpError,
  preflightResponse,
  rejectForbidden,
  rejectUnauthorised,
  withCorsHeaders,
} from "./http_guard.ts";
import { watchListened } from "./listened_resources.ts";
import { Listener } from "./listener.ts";
import { withNumberIds } from "./number_ids.ts";
import { createServer } from "./server.ts";
import { Sessions } from "./sessions.ts";
import { taskStream } from "./task_stream.ts";
import type { ServerContext } from "./tools_call.ts";

/** The path of MCP; any other path is refused. */
const PATH = "/mcp";
/** The most POST requests that may be open; a further one is refused with `retry-after`. */
const MAX_OPEN = 128;
/** The time that running calls have to end when the server stops, in milliseconds. */
const STOP_MS = 5_000;

/** Loads the page in the browser when it is first asked for. */
export type OpenPage = () => Promise<{
  respond(request: Request, port: number): Promise<Response>;
  close(): void;
}>;

function isOfPage({ pathname }: URL): boolean {
  return ["/", "/app.js", "/app.css"].includes(pathname) || pathname.startsWith("/api/");
}

/**
 * Serves MCP over streamable HTTP. Clients of revision 2026-07-28 send each request by itself;
 * older clients have sessions, and can reconnect to them. Returns the address for clients. `close`
 * stops listening, waits a moment for running calls, and ends the others. Throws the system's error
 * if it cannot listen.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "Streamable HTTP"
 */
export function serveHttp(
  shared: ServerContext,
  { port, openPage, ...guard }: GuardOptions & { port: number; openPage?: OpenPage },
): { url: string; close(): Promise<void> } {
  const endpoint = new Endpoint(shared, guard, openPage);
  const listener: Listener = new Listener(
    { hostname: guard.hostname, port },
    (request) => endpoint.respond(request, listener.address.port),
  );
  const { hostname, port: actualPort } = listener.address;
  return {
    url: `http://${withBrackets(hostname)}:${actualPort}${PATH}`,
    async close() {
      const stopped = listener.close();
      await endpoint.close();
      await Promise.race([stopped, delay(1_000)]);
    },
  };
}

/** Answers HTTP requests: checks each, and passes it to a session or to a server of its own. */
class Endpoint {
  #sessions: Sessions;
  #modern: ReturnType<typeof createMcpHandler>;
  #unsubscribe: (() => void)[];
  #open = new Set<Request>();
  #page: ReturnType<OpenPage> | undefined;

  constructor(
    readonly shared: ServerContext,
    readonly guard: GuardOptions,
    readonly openPage?: OpenPage,
  ) {
    this.#sessions = new Sessions(shared);
    this.#modern = createMcpHandler(() => createServer(shared, { isModern: true }), {
      legacy: "reject",
      // Deno reports a disconnect only after the response has started: a stream starts at once.
      responseMode: "sse",
      maxSubscriptions: MAX_OPEN,
    });
    const { registry } = shared.options;
    this.#unsubscribe = [registry.subscribe(() => this.#modern.notify.toolsChanged())];
    shared.prompts?.().then((prompts) =>
      this.#unsubscribe.push(prompts.subscribe(() => this.#modern.notify.promptsChanged()))
    );
  }

  /** Answers a request that came to this port. */
  async respond(request: Request, port: number): Promise<Response> {
    // A malformed Host header makes the address of the request unparsable.
    const url = URL.parse(request.url);
    if (url === null) return httpError(400, "The header Host is not a valid host");
    if (this.openPage !== undefined && isOfPage(url)) {
      return await (await (this.#page ??= this.openPage())).respond(request, port);
    }
    return rejectForbidden(request, this.guard, port) ??
      withCorsHeaders(
        preflightResponse(request) ?? await this.#respondToOwn(request, url),
        request,
      );
  }

  /** Waits a moment for the open requests, and ends the others. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    (await this.#page?.catch(() => undefined))?.close();
    for (const end = performance.now() + STOP_MS; this.#open.size > 0 && performance.now() < end;) {
      await delay(20);
    }
    await Promise.all([this.#sessions.close(), this.#modern.close()]);
  }

  /** Answers a request whose host and origin are allowed. */
  async #respondToOwn(request: Request, { pathname }: URL): Promise<Response> {
    // Clients look for documents of OAuth before they have a token, so this comes before the token.
    if (pathname !== PATH) return httpError(404, `The only path is ${PATH}`);
    const rejected = rejectUnauthorised(request, this.guard);
    if (rejected) return rejected;
    if (request.method !== "POST") return withNumberIds(await this.#sessions.handle(request));
    if (this.#open.size >= MAX_OPEN) {
      return httpError(503, `${MAX_OPEN} requests are open already`, { "retry-after": "1" });
    }
    this.#open.add(request);
    const end = () => void this.#open.delete(request);
    try {
      return onBodyEnd(withNumberIds(await this.#post(request, end)), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Answers a POST. Calls `end` early if the request must not count as open. */
  async #post(request: Request, end: () => void): Promise<Response> {
    if (!/^application\/json(;|$)/i.test(request.headers.get("content-type") ?? "")) {
      return httpError(415, "The content type must be application/json");
    }
    try {
      const body = await readJsonBody(request);
      const response = await this.#sessions.answerQuickly(request.headers, body);
      if (response !== undefined) return response;
      const { url, headers, signal } = request;
      const copy = new Request(url, { method: "POST", headers, signal });
      if (await isLegacyRequest(copy, body)) return await this.#sessions.handle(copy, body);
      const answer = () => this.#modern.fetch(copy, { parsedBody: body });
      if (!isObject(body) || body["method"] !== "subscriptions/listen") {
        return await withErrorStatus(await answer());
      }
      // A subscription never ends, and the SDK limits their number.
      end();
      const stream = await taskStream(body, this.shared, answer);
      if (stream !== undefined) return stream;
      const notify = (uri: string) => this.#modern.notify.resourceUpdated(uri);
      const watch = await watchListened(body, this.shared, notify);
      return watch === undefined ? await answer() : onBodyEnd(await answer(), () => watch.close());
    } catch (error) {
      if (error instanceof Response) return error;
      throw error;
    }
  }
}

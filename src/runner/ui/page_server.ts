import { lookupTable } from "../../base/lookup_table.ts";
import { LOOPBACK, withBrackets } from "../../base/host.ts";
import { rejectUnauthorised } from "../mcp/server/http_guard.ts";
import { respondToApi } from "./page_api.ts";
import { pageFiles } from "./page_files.ts";
import type { PageBackend, PageOptions } from "./page_backend.ts";
import { PageCalls } from "./page_calls.ts";

/** The header fields of every response. No page, script or style of another host is allowed. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; object-src 'none'; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

const TYPES = lookupTable<string>({
  "/": "text/html; charset=utf-8",
  "/app.js": "text/javascript; charset=utf-8",
  "/app.css": "text/css; charset=utf-8",
});

/** Serves the page and its API. The page contains no data: all data needs the token. */
export class PageServer {
  readonly #calls: PageCalls;
  readonly #stop = new AbortController();

  /** Takes the functions of the command line, and how the page is served. */
  constructor(readonly backend: PageBackend, readonly options: PageOptions) {
    this.#calls = new PageCalls(backend);
  }

  /** Answers a request that came to this port. */
  async respond(request: Request, port: number): Promise<Response> {
    const response = await this.#respond(request, port);
    for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
    return response;
  }

  /** Cancels the calls of the page and ends its streams. */
  close(): void {
    this.#stop.abort();
    this.#calls.close();
  }

  async #respond(request: Request, port: number): Promise<Response> {
    const url = URL.parse(request.url);
    if (url === null || !this.#isOwn(request, port)) {
      const error = "Cannot answer: the header Host or Origin is not of this server; open the " +
        "address that the server printed";
      return Response.json({ error }, { status: 403 });
    }
    const { pathname } = url;
    if (pathname.startsWith("/api/")) {
      const { options, backend } = this;
      const parts = { backend, options, calls: this.#calls, stopped: this.#stop.signal };
      return rejectUnauthorised(request, options) ?? await respondToApi(request, url, parts);
    }
    const type = TYPES[pathname];
    if (type === undefined || request.method !== "GET") {
      return Response.json({ error: `Cannot find ${pathname}; open /` }, { status: 404 });
    }
    const text = (await pageFiles())[pathname]!;
    return new Response(text, { headers: { "content-type": type } });
  }

  /** Whether the request names exactly this server, and no page of another origin sent it. */
  #isOwn({ headers }: Request, port: number): boolean {
    const { hostname } = this.options;
    // A server on every address has a token that no other page knows.
    const isAnyHost = hostname === "0.0.0.0" || hostname === "::";
    const hosts = [...LOOPBACK, withBrackets(hostname)].map((name) => `${name}:${port}`);
    const host = headers.get("host") ?? "";
    if (!isAnyHost && !hosts.includes(host)) return false;
    const origin = headers.get("origin");
    return origin === null || origin === `http://${host}`;
  }
}

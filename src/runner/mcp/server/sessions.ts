import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { EventLog } from "./event_log.ts";
import { httpError } from "./http_error.ts";
import type { Served } from "./served.ts";
import { mcpServer } from "./server.ts";

/** How many sessions there may be, and how long one is kept that nobody uses, in milliseconds. */
const [MOST, IDLE_MS] = [100, 30 * 60_000];
/** One that was used as late as this is not ended for the sake of another, in milliseconds. */
const RECENT_MS = 60_000;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  usedAt: number;
  /** How many of its calls run, or wait for their turn. */
  calls: number;
}

/** The sessions of clients that speak a revision before 2026-07-28 over HTTP. */
export class Sessions {
  #sessions = new Map<string, Session>();
  #sweep = setInterval(() => this.#endIdle(IDLE_MS), RECENT_MS);

  /** Takes what each is served with. */
  constructor(readonly served: Served) {
    Deno.unrefTimer(this.#sweep);
  }

  /** Answers a request: of its session, or of the one that it begins. */
  async handle(request: Request, parsedBody?: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(parsedBody) : this.#sessions.get(id);
    if (session === undefined) {
      return httpError(404, "There is no such session; begin a new one with initialize");
    }
    if (session instanceof Response) return session;
    session.usedAt = performance.now();
    const response = await session.transport.handleRequest(
      request,
      parsedBody === undefined ? {} : { parsedBody },
    );
    // One that was refused has begun no session.
    if (session.transport.sessionId === undefined) await session.server.close();
    return response;
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  async #begin(body: unknown): Promise<Session | Response> {
    if (!isInitialize(body)) {
      return httpError(400, "The header Mcp-Session-Id is missing; begin with initialize");
    }
    if (this.#sessions.size >= MOST) this.#endIdle(RECENT_MS);
    if (this.#sessions.size >= MOST) {
      return httpError(
        503,
        `There are ${MOST} sessions already; end one, or try again in a minute`,
      );
    }
    const server = mcpServer({
      ...this.served,
      turns: { run: (...work) => this.#count(session, work) },
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: new EventLog(),
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    const session: Session = { server, transport, usedAt: performance.now(), calls: 0 };
    await server.connect(transport);
    return session;
  }

  /** Runs a call of a session, which is in use for as long. */
  async #count<T>(
    session: Session,
    work: [work: () => Promise<T>, signal: AbortSignal],
  ): Promise<T> {
    session.calls++;
    try {
      return await this.served.turns.run(...work);
    } finally {
      session.calls--;
      session.usedAt = performance.now();
    }
  }

  #endIdle(age: number): void {
    for (const [id, { server, usedAt, calls }] of this.#sessions) {
      if (calls > 0 || performance.now() - usedAt < age) continue;
      this.#sessions.delete(id);
      server.close().catch(() => {});
    }
  }
}

function isInitialize(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body &&
    body.method === "initialize";
}

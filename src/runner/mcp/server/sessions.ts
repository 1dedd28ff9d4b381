import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import { EventLog } from "./event_log.ts";
import { httpError } from "./http_guard.ts";
import { plainCallIn, tellsOfRoots } from "./plain_call.ts";
import { openSessionServers, type SessionContext } from "./session_servers.ts";
import { createServer, type ToolServer } from "./server.ts";
import type { ServerContext } from "./tools_call.ts";

const MAX_SESSIONS = 100;
/** An unused session is ended after this time, in milliseconds. */
const IDLE_MS = 30 * 60_000;
/** The time between two searches for unused sessions, in milliseconds. */
const SWEEP_MS = 60_000;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: ToolServer;
  closeServers: SessionContext["closeServers"];
  usedAt: number;
  /** The number of its calls that run or wait to run. */
  calls: number;
}

/** The sessions of HTTP clients that use a revision of MCP before 2026-07-28. */
export class Sessions {
  #sessions = new Map<string, Session>();
  #sweep = setInterval(() => this.#endIdle(IDLE_MS), SWEEP_MS);

  /** Takes the context that all connections share. */
  constructor(readonly shared: ServerContext) {
    Deno.unrefTimer(this.#sweep);
  }

  /** Answers a request of an existing session, or one that begins a session. */
  async handle(request: Request, parsedBody?: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(parsedBody) : this.#sessions.get(id);
    if (session === undefined) {
      return httpError(404, "Unknown session; begin a new one with initialize");
    }
    if (session instanceof Response) return session;
    session.usedAt = performance.now();
    if (tellsOfRoots(parsedBody)) session.server.forgetRoots();
    const options = parsedBody === undefined ? {} : { parsedBody };
    const response = await session.transport.handleRequest(request, options);
    // A refused request has begun no session.
    if (session.transport.sessionId === undefined) await session.server.close();
    return response;
  }

  /**
   * Answers a quick call of an existing session before the SDK sees it, with JSON in place of a
   * stream. Returns `undefined` for any other request.
   */
  async answerQuickly(headers: Headers, body: unknown): Promise<Response | undefined> {
    const plain = plainCallIn(body);
    if (plain === undefined) return undefined;
    const sessionId = headers.get("mcp-session-id");
    const session = this.#sessions.get(sessionId ?? "");
    if (session === undefined || !isOrdinary(headers, session.server)) return undefined;
    session.usedAt = performance.now();
    const result = await session.server.quickCalls()?.run(plain.call);
    if (result === undefined) return undefined;
    return new Response(JSON.stringify({ result, jsonrpc: "2.0", id: plain.id }), {
      headers: { "content-type": "application/json", "mcp-session-id": sessionId! },
    });
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ server }) => server.close()));
    await Promise.all(all.map(({ closeServers }) => closeServers()));
  }

  async #begin(body: unknown): Promise<Session | Response> {
    if (!isObject(body) || body["method"] !== "initialize") {
      return httpError(400, "The header Mcp-Session-Id is missing; begin with initialize");
    }
    // Some clients never end their sessions. The client of an ended session begins a new one.
    if (this.#sessions.size >= MAX_SESSIONS) this.#endLongestIdle();
    if (this.#sessions.size >= MAX_SESSIONS) {
      const why = `All ${MAX_SESSIONS} sessions have calls that run; try again after one has ended`;
      return httpError(503, why);
    }
    const { context, closeServers } = openSessionServers(this.shared);
    const server = createServer({
      ...context,
      semaphore: { run: (...work) => this.#count(session, work) },
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: new EventLog(),
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    const { onclose } = server;
    server.onclose = () => {
      onclose?.();
      void closeServers();
    };
    const session: Session = {
      closeServers,
      server,
      transport,
      usedAt: performance.now(),
      calls: 0,
    };
    await server.connect(transport);
    return session;
  }

  /** Runs a call of a session. The session counts as used until the call ends. */
  async #count<T>(
    session: Session,
    work: [work: () => Promise<T>, signal: AbortSignal],
  ): Promise<T> {
    session.calls++;
    try {
      return await this.shared.semaphore.run(...work);
    } finally {
      session.calls--;
      session.usedAt = performance.now();
    }
  }

  #endIdle(age: number): void {
    for (const [id, { usedAt, calls }] of this.#sessions) {
      if (calls === 0 && performance.now() - usedAt >= age) this.#end(id);
    }
  }

  #endLongestIdle(): void {
    const idle = [...this.#sessions].filter(([, { calls }]) => calls === 0);
    const [longest] = idle.toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (longest !== undefined) this.#end(longest[0]);
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.server.close().catch(() => {});
  }
}

/** Whether the SDK would refuse none of the headers of a request in a session. */
function isOrdinary(headers: Headers, server: ToolServer): boolean {
  const accept = headers.get("accept") ?? "";
  if (!accept.includes("application/json") || !accept.includes("text/event-stream")) return false;
  const version = headers.get("mcp-protocol-version");
  return version === null || version === server.getNegotiatedProtocolVersion();
}

import { pause } from "./wait.ts";

/** A server on this machine that answers by path and records its requests. */
export interface CountingServer extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  host: string;
  port: number;
  /** The requests so far. The newest is the last. */
  requests: { path: string; headers: Headers; body: string }[];
  /** The number of bytes of endless bodies that clients took. */
  sent: number;
}

/** Returns the answer of a server to a request. */
export type Answering = (
  path: string,
  server: CountingServer,
) => Response | undefined | Promise<Response | undefined>;

/** Starts a server. */
export function countingServer(answer: Answering, hostname = "127.0.0.1"): CountingServer {
  const stop = new AbortController();
  const inner = Deno.serve(
    // A client may disconnect before its answer, which is no error here.
    {
      hostname,
      port: 0,
      signal: stop.signal,
      onListen() {},
      onError: () => new Response(null, { status: 500 }),
    },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const path = `${pathname}${search}`;
      server.requests.push({ path, headers: request.headers, body: await request.text() });
      return await answer(path, server) ?? new Response("There is nothing here", { status: 404 });
    },
  );
  const { port } = inner.addr;
  const server: CountingServer = {
    host: `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
    port,
    requests: [],
    sent: 0,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await inner.finished;
    },
  };
  return server;
}

/** Returns an endless body with a chunk every `everyMs`. `server` counts the bytes that are read. */
export function endless(
  server: CountingServer,
  chunk: Uint8Array<ArrayBuffer>,
  everyMs = 0,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      if (everyMs > 0) await pause(everyMs, "The server is slow on purpose.");
      server.sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
}

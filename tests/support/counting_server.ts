/** A server on this machine that answers by path and counts what reaches it. */
export interface CountingServer extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  host: string;
  port: number;
  /** What has reached it, the newest last. */
  requests: { path: string; headers: Headers; body: string }[];
  /** How many bytes of endless bodies were taken from it. */
  sent: number;
}

/** What a server answers to a request. */
export type Answering = (
  path: string,
  server: CountingServer,
) => Response | undefined | Promise<Response | undefined>;

/** Starts one. */
export function countingServer(answer: Answering, hostname = "127.0.0.1"): CountingServer {
  const stop = new AbortController();
  const inner = Deno.serve(
    // What a client has left is no fault.
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

/** An endless body of these chunks, one every `everyMs`; `server` counts what is taken of it. */
export function endless(
  server: CountingServer,
  chunk: Uint8Array<ArrayBuffer>,
  everyMs = 0,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
      server.sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
}

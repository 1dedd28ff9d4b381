/** A client of an MCP server over streamable HTTP, with a session. */
import { INITIALIZED, initializeRequest } from "./mcp_requests.ts";
import type { Exchange } from "./line_client.ts";
import { environmentFor, type Program } from "./processes.ts";

/** Starts a server that prints its address on stderr, and sends requests to it. */
export class HttpClient {
  readonly #child: Deno.ChildProcess;
  readonly #url: string;
  readonly #session: string;
  #nextId = 2;

  private constructor(child: Deno.ChildProcess, url: string, session: string) {
    this.#child = child;
    this.#url = url;
    this.#session = session;
  }

  /** Starts the server and a session. Throws an `Error` if the server prints no address. */
  static async start({ command: [file, ...args], env }: Program): Promise<HttpClient> {
    const child = new Deno.Command(file!, {
      args,
      env: environmentFor(env),
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const url = await addressIn(child.stderr);
    const response = await post(url, initializeRequest(1));
    await response.text();
    const session = response.headers.get("mcp-session-id") ?? "";
    const client = new HttpClient(child, url, session);
    await (await post(url, INITIALIZED, session)).text();
    return client;
  }

  /** The number of the process. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Sends requests and waits for all answers. Returns how long that took, in milliseconds. */
  async exchange({ count, inFlight, request }: Exchange): Promise<number> {
    let sent = 0;
    const start = performance.now();
    const sender = async () => {
      while (sent < count) {
        sent++;
        const response = await post(this.#url, request(this.#nextId++), this.#session);
        const text = await response.text();
        if (!response.ok || /"isError":true|"error":\{/.test(text)) {
          throw new Error(`HTTP ${response.status}: ${text.slice(0, 300)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: inFlight }, sender));
    return performance.now() - start;
  }

  /** Ends the server. */
  async close(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }
}

async function post(url: string, body: string, session?: string): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...session && { "mcp-session-id": session },
    },
  });
}

async function addressIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    text += value ?? "";
    const url = text.match(/http:\/\/\S+(?=\s)/)?.[0];
    if (url !== undefined) {
      await reader.cancel();
      return url;
    }
    if (done) throw new Error(`the server printed no address: ${text.slice(0, 300)}`);
  }
}

/** A client of an MCP server over streamable HTTP, with a session. */
import { INITIALIZED, initializeRequest } from "./mcp_requests.ts";
import type { Exchange } from "./line_client.ts";
import { environmentFor, type Program } from "./processes.ts";

/**
 * Starts a server that prints its address on stderr, and sends requests to it. This class writes and
 * reads HTTP itself, over one connection for each request in flight. A general client would take
 * longer for a request than the server does.
 */
export class HttpClient {
  readonly #child: Deno.ChildProcess;
  readonly #url: URL;
  readonly #session: string;
  #nextId = 2;

  private constructor(child: Deno.ChildProcess, url: URL, session: string) {
    this.#child = child;
    this.#url = url;
    this.#session = session;
  }

  /** Starts the server and a session. Throws an `Error` if the server prints no address. */
  static async start({ command: [file, ...args], env, cwd }: Program): Promise<HttpClient> {
    const child = new Deno.Command(file!, {
      args,
      ...cwd !== undefined && { cwd },
      env: environmentFor(env),
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const url = new URL(await addressIn(child.stderr));
    const response = await post(url, initializeRequest(1));
    await response.text();
    const session = response.headers.get("mcp-session-id") ?? "";
    await (await post(url, INITIALIZED, session)).text();
    return new HttpClient(child, url, session);
  }

  /** The process ID. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Sends requests and waits for all answers. Returns how long that took, in milliseconds. */
  async exchange({ count, inFlight, request }: Exchange): Promise<number> {
    const { hostname, port } = this.#url;
    const connections = await Promise.all(
      Array.from({ length: inFlight }, () => Deno.connect({ hostname, port: Number(port) })),
    );
    let sent = 0;
    const start = performance.now();
    await Promise.all(connections.map(async (connection) => {
      connection.setNoDelay(true);
      while (sent < count) {
        sent++;
        await this.#ask(connection, request(this.#nextId++));
      }
    }));
    const duration = performance.now() - start;
    for (const connection of connections) connection.close();
    return duration;
  }

  /** Ends the server. */
  async close(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }

  /** Sends one request and reads its answer, whose header has the length of the body. */
  async #ask(connection: Deno.Conn, body: string): Promise<void> {
    const { host, pathname } = this.#url;
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      ...Object.entries(headersOf(this.#session)).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${encoder.encode(body).length}`,
    ].join("\r\n");
    await writeAll(connection, encoder.encode(`${head}\r\n\r\n${body}`));
    const buffer = new Uint8Array(64 * 1024);
    let text = "";
    for (let end = Infinity; text.length < end;) {
      const read = await connection.read(buffer);
      if (read === null) throw new Error(`the server closed the connection: ${text.slice(0, 300)}`);
      // The bench reads a file of ASCII, so bytes are characters.
      text += decoder.decode(buffer.subarray(0, read));
      const body = text.indexOf("\r\n\r\n") + 4;
      const length = text.match(/^content-length: (\d+)\r$/im)?.[1];
      if (body > 3 && length === undefined) throw new Error(`an answer without length: ${text}`);
      if (body > 3) end = body + Number(length);
    }
    if (!text.startsWith("HTTP/1.1 200 ") || /"isError":true|"error":\{/.test(text)) {
      throw new Error(`HTTP: ${text.slice(0, 300)}`);
    }
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function headersOf(session: string | undefined): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...session && { "mcp-session-id": session },
  };
}

async function post(url: URL, body: string, session?: string): Promise<Response> {
  return await fetch(url, { method: "POST", body, headers: headersOf(session) });
}

async function addressIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const reader = (stderr as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream()).getReader();
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

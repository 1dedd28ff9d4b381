/** Starts the built executable as an MCP server, and exchanges messages with it. */
import { executable } from "../executable.ts";

/** The fields of a JSON-RPC message that the tests read. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  // deno-lint-ignore no-explicit-any -- Each test checks the result that it expects.
  result?: any;
  error?: { code: number; message: string; data?: unknown };
}

/** The first request of a client of an older revision. */
export const initialize = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};

const encoder = new TextEncoder();

/** How a server is started. */
export interface StartOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** The program that is started instead of the executable. */
  program?: { command: string; args: string[] };
}

/** A server over stdio, and its messages. */
export class Peer implements AsyncDisposable {
  /** The received messages that answer no request. */
  readonly unasked: Message[] = [];
  #waiting = new Map<string | number, (message: Message) => void>();
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #count = 0;
  #read: Promise<void> | undefined;

  constructor(readonly process: Deno.ChildProcess) {
    this.#writer = process.stdin.getWriter();
  }

  /** Starts a server. If `reads` is false, nothing is read until `read` is called. */
  static start(flags: string[], options: StartOptions & { reads?: boolean } = {}): Peer {
    const { program = { command: executable, args: [] }, reads = true, ...rest } = options;
    const child = new Deno.Command(program.command, {
      args: [...program.args, "mcp", ...flags],
      ...rest,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const peer = new Peer(child);
    if (reads) peer.read();
    return peer;
  }

  /** Begins to read. */
  read(): void {
    this.#read ??= this.#readAll().catch(() => {});
  }

  /** Sends a text without changes. */
  async write(text: string): Promise<void> {
    await this.#writer.write(encoder.encode(text));
  }

  /** Sends a notification. */
  async notify(method: string, params: Record<string, unknown> = {}): Promise<void> {
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Waits for the answer to that id. */
  answer(id: string | number): Promise<Message> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** Sends a request with additional keys, and waits for its answer. */
  async request(
    method: string,
    params: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ): Promise<Message> {
    const id = this.#count++;
    const answer = this.answer(id);
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params, ...more })}\n`);
    return await answer;
  }

  /** Calls a tool. */
  call(name: string, args: Record<string, unknown> = {}): Promise<Message> {
    return this.request("tools/call", { name, arguments: args });
  }

  /** Begins the connection as a client of an older revision. */
  async initialize(
    { version = "2025-11-25", capabilities = {} }: { version?: string; capabilities?: object } = {},
  ): Promise<Message> {
    const said = await this.request("initialize", {
      protocolVersion: version,
      capabilities,
      clientInfo: { name: "test", version: "1" },
    });
    await this.notify("notifications/initialized");
    return said;
  }

  /** Closes the server's input and waits for its end. Returns the exit code. */
  async end(): Promise<number> {
    await this.#writer.close().catch(() => {});
    const { code } = await this.process.status;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    if (this.#read === undefined) await this.process.stdout.cancel();
    await this.#read;
  }

  async #readAll(): Promise<void> {
    let text = "";
    for await (const chunk of this.process.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split("\n");
      text = lines.pop()!;
      for (const line of lines) this.#receive(JSON.parse(line));
    }
  }

  #receive(message: Message): void {
    const waiting = message.method === undefined && message.id !== null && message.id !== undefined
      ? this.#waiting.get(message.id)
      : undefined;
    if (waiting === undefined) this.unasked.push(message);
    else waiting(message);
  }
}

/** A running server over HTTP. */
export interface Listening extends AsyncDisposable {
  url: string;
  process: Deno.ChildProcess;
}

/** Starts a server over HTTP, and waits until it prints its address. */
export async function listen(flags: string[], options: StartOptions = {}): Promise<Listening> {
  const { program = { command: executable, args: [] }, ...rest } = options;
  const says = (...names: string[]) => flags.some((flag) => names.includes(flag.split("=")[0]!));
  const address = [
    ...(says("--http") ? [] : ["--http=127.0.0.1:0"]),
    ...(says("--token-env", "--no-token") ? [] : ["--no-token"]),
  ];
  const child = new Deno.Command(program.command, {
    args: [...program.args, "mcp", ...address, ...flags],
    ...rest,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http:\S+\s/.test(text)) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`The server ended: ${text}`);
    text += value;
  }
  return {
    url: /http:\S+/.exec(text)![0],
    process: child,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGTERM");
      } catch { /* It has ended already. */ }
      await child.status;
      await lines.cancel();
    },
  };
}

/** Returns the resident memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

/** Returns the largest resident memory that a process has had, in MiB. */
export function peakMemoryOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
}

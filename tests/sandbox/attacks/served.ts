/** Calls of the attack tests through a process that answers many of them: `mcp` or `submit`. */
import { exitCodes } from "../../../src/runner/call/failure.ts";
import type { Result } from "../../support/executable.ts";
import type { Answer } from "./world.ts";

type Call = { name: string; arguments: Record<string, unknown> };
type Reply = { result?: Result; error?: { message: string; data?: { code?: string } } };

/** The commands that answer many calls in one process. */
export type ServerCommand = "mcp" | "submit";

/** A running server. */
export class Server {
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #waiting = new Map<number, (reply: Reply | undefined) => void>();
  #ended: Promise<unknown>;
  #stderr: Promise<string>;
  #isOver = false;
  #count = 0;

  /** Takes the child process of a server, and the command that it runs. */
  constructor(readonly child: Deno.ChildProcess, readonly command: ServerCommand) {
    this.#writer = child.stdin.getWriter();
    this.#stderr = new Response(child.stderr).text();
    this.#ended = this.#read();
    if (command === "submit") return;
    const clientInfo = { name: "attacks", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    this.#send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** Makes a call. The answer has the form that a process for only this call gives. */
  async call(params: Call): Promise<Answer> {
    const begin = performance.now();
    const id = ++this.#count;
    const reply = await new Promise<Reply | undefined>((resolve) => {
      if (this.#isOver) return resolve(undefined);
      this.#waiting.set(id, resolve);
      this.#send(
        this.command === "submit"
          ? { id, call: params }
          : { jsonrpc: "2.0", id, method: "tools/call", params },
      );
    });
    const ms = performance.now() - begin;
    if (reply === undefined) {
      const { code } = await this.child.status;
      const text = await this.#stderr;
      return { content: [{ type: "text", text }], isError: true, exit: code, text, ms };
    }
    const { result, error } = reply;
    if (result === undefined) {
      const text = error!.message;
      const exit = exitCodes[error!.data?.code as keyof typeof exitCodes] ?? 70;
      return { content: [{ type: "text", text }], isError: true, exit, text, ms };
    }
    const code = result._meta?.["toolcall/error"]?.code;
    const exit = code === undefined ? 0 : exitCodes[code as keyof typeof exitCodes];
    return { ...result, exit, text: result.content[0]?.text ?? "", ms };
  }

  /** Ends the server, which first answers the open calls. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
    await Promise.all([this.#ended, this.#stderr, this.child.status]);
  }

  #send(message: unknown): void {
    const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    this.#writer.write(line).catch(() => {});
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const message = parsed(line);
        const { id, ...result } = message;
        // A line of `submit` is the result itself.
        const reply = this.command === "submit" ? { result: result as Result } : message;
        this.#waiting.get(id!)?.(reply);
        this.#waiting.delete(id!);
      }
    }
    this.#isOver = true;
    for (const resolve of this.#waiting.values()) resolve(undefined);
  }
}

/**
 * Parses a message of the server. An attack may have replaced the executable by a program that prints
 * anything: then the message is empty.
 */
function parsed(line: string): Reply & { id?: number } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** A client of a program that answers JSON lines with JSON lines, such as an MCP server. */
import { environmentFor, type Program } from "./processes.ts";

/** Many requests of one kind. */
export interface Exchange {
  /** The number of requests. */
  count: number;
  /** The number of requests that may wait for their answer at the same time. */
  inFlight: number;
  /** The request with an id, as one line of JSON without the line end. */
  request(id: number): string;
}

/** An answer has the id of its request. Other messages, such as notifications, are ignored. */
interface Message {
  id?: number | string | null;
  method?: string;
  error?: { message: string };
  isError?: boolean;
  result?: { isError?: boolean };
}

/** The bench gives up a program that answers nothing for this time, in milliseconds. */
const MAX_SILENCE_MS = 30_000;

const ENDED = "the program ended before it had answered";

/** Starts a program and exchanges lines with it until it is closed. */
export class LineClient {
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #ended: Promise<void>;
  #nextId = 1;
  #unsent = "";
  #sending = false;
  #answered: (message: Message) => void = () => {};
  #failed: (error: Error) => void = () => {};
  #isEnded = false;

  /** Starts the program. */
  constructor({ command: [file, ...args], env, cwd }: Program) {
    this.#child = new Deno.Command(file!, {
      args,
      env: environmentFor(env),
      clearEnv: true,
      ...cwd !== undefined && { cwd },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    this.#ended = this.#read();
  }

  /** The process ID. */
  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Sends requests and waits for all answers. Returns how long that took, in milliseconds. Throws an
   * `Error` when an answer is an error, or when the program ends.
   */
  async exchange({ count, inFlight, request }: Exchange): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let [sent, done] = [0, 0];
    const sendNext = () => {
      sent++;
      this.#send(request(this.#nextId++));
    };
    this.#failed = reject;
    this.#answered = (message) => {
      if (message.error ?? message.isError ?? message.result?.isError) {
        reject(new Error(`an answer is an error: ${JSON.stringify(message).slice(0, 300)}`));
      }
      if (++done === count) resolve();
      else if (sent < count) sendNext();
    };
    if (this.#isEnded) throw new Error(ENDED);
    let before = -1;
    const timer = setInterval(() => {
      if (done === before) reject(new Error(`no answer came after ${done} of ${count}`));
      before = done;
    }, MAX_SILENCE_MS);
    try {
      const start = performance.now();
      while (sent < Math.min(count, inFlight)) sendNext();
      await promise;
      return performance.now() - start;
    } finally {
      clearInterval(timer);
    }
  }

  /** Sends a line that nobody answers. */
  notify(line: string): void {
    this.#send(line);
  }

  /** Ends the program: first by the end of its input, and after two seconds by a signal. */
  async close(): Promise<void> {
    await this.#stdin.close().catch(() => {});
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 2_000);
    await this.#child.status;
    clearTimeout(timer);
    await this.#ended;
  }

  /** Writes lines together if they are sent while a write is in progress. */
  async #send(line: string): Promise<void> {
    this.#unsent += `${line}\n`;
    if (this.#sending) return;
    this.#sending = true;
    // The answers of one chunk cause their requests in one turn, so these share a write.
    await Promise.resolve();
    try {
      while (this.#unsent !== "") {
        const bytes = this.#encoder.encode(this.#unsent);
        this.#unsent = "";
        await this.#stdin.write(bytes);
      }
    } catch {
      // The reading side reports that the program has ended.
    } finally {
      this.#sending = false;
    }
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const message = JSON.parse(line) as Message;
        if (message.method === undefined && message.id !== undefined) this.#answered(message);
      }
    }
    this.#isEnded = true;
    this.#failed(new Error(ENDED));
  }
}

import type { ServerContext } from "@modelcontextprotocol/server";

/** How long a client hears nothing of a call at most, in milliseconds. Many give up after 60,000. */
const BEAT_MS = 5_000;

/** The call whose progress is reported, and the token of the client that asked for it. */
export interface ProgressOptions {
  /** The token by which the client knows the call. */
  progressToken: string | number;
  /** The name of the tool. */
  tool: string;
}

/**
 * Reports the progress of a call as `notifications/progress` with numbers that rise. A call that
 * reports nothing for five seconds repeats its last line, or says how long it runs. While a
 * notification waits for a client that does not read, only the latest of the others is kept.
 */
export class Progress implements AsyncDisposable {
  readonly #context: ServerContext;
  readonly #options: ProgressOptions;
  readonly #begun = performance.now();
  #count = 0;
  #last: string | undefined;
  #next: string | undefined;
  #sending: Promise<void> | undefined;
  #beat: ReturnType<typeof setTimeout> | undefined;

  /** Takes the request that it is about, and begins to count the time. */
  constructor(context: ServerContext, options: ProgressOptions) {
    this.#context = context;
    this.#options = options;
    this.#wait();
  }

  /** Tells the client a line. */
  tell(line: string): void {
    this.#last = line;
    this.#send(line);
  }

  /** Ends the beat, and waits until what was told is on its way. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#beat);
    await this.#sending;
  }

  #wait(): void {
    clearTimeout(this.#beat);
    this.#beat = setTimeout(() => {
      const seconds = Math.round((performance.now() - this.#begun) / 1_000);
      this.#send(this.#last ?? `${this.#options.tool}: ${seconds} s`);
    }, BEAT_MS);
  }

  #send(line: string): void {
    this.#next = line;
    this.#wait();
    this.#sending ??= this.#sendAll().finally(() => this.#sending = undefined);
  }

  async #sendAll(): Promise<void> {
    const { progressToken } = this.#options;
    while (this.#next !== undefined) {
      const message = this.#next;
      this.#next = undefined;
      const params = { progressToken, progress: ++this.#count, message };
      try {
        await this.#context.mcpReq.notify({ method: "notifications/progress", params });
      } catch {
        // Nobody listens any more.
        return;
      }
    }
  }
}

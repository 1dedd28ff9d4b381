import type { ProgressToken, ServerContext as RequestContext } from "@modelcontextprotocol/server";

/** The most milliseconds between two notifications. Many clients give up after 60,000 without one. */
const HEARTBEAT_MS = 5_000;

/**
 * Reports the progress of a call as `notifications/progress` with numbers that rise. If a call
 * reports nothing for five seconds, its last line or its running time is sent. While the client
 * has not read a notification, only the latest line is kept.
 */
export class ProgressReporter implements AsyncDisposable {
  readonly #begun = performance.now();
  #count = 0;
  #last: string | undefined;
  #next: string | undefined;
  #sending: Promise<void> | undefined;
  #heartbeat: ReturnType<typeof setTimeout> | undefined;

  /** Takes the request of the call, the client's token for it and the tool's name. */
  constructor(
    readonly request: RequestContext,
    readonly progressToken: ProgressToken,
    readonly tool: string,
  ) {
    this.#restartTimer();
  }

  /** Sends a line. */
  report(line: string): void {
    this.#last = line;
    this.#sendLine(line);
  }

  /** Stops the timer, and waits until the last line is sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#heartbeat);
    await this.#sending;
  }

  #restartTimer(): void {
    clearTimeout(this.#heartbeat);
    this.#heartbeat = setTimeout(() => {
      const seconds = Math.round((performance.now() - this.#begun) / 1_000);
      this.#sendLine(this.#last ?? `${this.tool}: ${seconds} s`);
    }, HEARTBEAT_MS);
  }

  #sendLine(line: string): void {
    this.#next = line;
    this.#restartTimer();
    this.#sending ??= this.#sendAll().finally(() => this.#sending = undefined);
  }

  async #sendAll(): Promise<void> {
    const { progressToken } = this;
    while (this.#next !== undefined) {
      const message = this.#next;
      this.#next = undefined;
      const params = { progressToken, progress: ++this.#count, message };
      try {
        await this.request.mcpReq.notify({ method: "notifications/progress", params });
      } catch {
        // The client has disconnected.
        return;
      }
    }
  }
}

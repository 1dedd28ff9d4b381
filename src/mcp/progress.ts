import type { ServerContext } from "@modelcontextprotocol/server";

/**
 * What a call tells on its way, as `notifications/progress` where the client asked for it
 * and as a log message. While one is on its way to a client that does not read, the
 * latest of the others waits, and the rest is left out.
 */
export class Progress {
  #count = 0;
  #next: string | undefined;
  #sending: Promise<void> | undefined;

  /** Takes the request that it is about. */
  constructor(readonly context: ServerContext) {}

  /** Tells the client a line. */
  tell(line: string): void {
    this.#count++;
    this.#next = line;
    this.#sending ??= this.#send().finally(() => this.#sending = undefined);
  }

  /** Waits until what was told is on its way. */
  async end(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    const { mcpReq } = this.context;
    const progressToken = mcpReq._meta?.progressToken;
    while (this.#next !== undefined) {
      const message = this.#next;
      this.#next = undefined;
      try {
        if (progressToken !== undefined) {
          const params = { progressToken, progress: this.#count, message };
          await mcpReq.notify({ method: "notifications/progress", params });
        }
        await mcpReq.log("info", message, "toolcall");
      } catch {
        // Nobody listens any more.
        return;
      }
    }
  }
}

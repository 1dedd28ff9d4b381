/** The notifications that a client receives while one of its calls runs. */

import type { ServerContext as RequestContext } from "@modelcontextprotocol/server";
import {
  limitPrints,
  type Print,
  printToStderr,
  type TakePrint,
} from "../../sandbox/executors/prints.ts";

/**
 * The longest time between two notifications, in milliseconds. Many clients give up after 60,000
 * without one.
 */
const HEARTBEAT_MS = 5_000;

/** The call whose progress is reported, and the token of the client that asked for it. */
export interface ProgressOptions {
  /** The token by which the client knows the call. */
  progressToken: string | number;
  /** The name of the tool. */
  tool: string;
}

/**
 * Reports the progress of a call as `notifications/progress` with numbers that rise. If a call
 * reports nothing for five seconds, its last line or its running time is sent. While the client
 * has not read a notification, only the latest line is kept.
 */
export class ProgressReporter implements AsyncDisposable {
  readonly #request: RequestContext;
  readonly #options: ProgressOptions;
  readonly #begun = performance.now();
  #count = 0;
  #last: string | undefined;
  #next: string | undefined;
  #sending: Promise<void> | undefined;
  #heartbeat: ReturnType<typeof setTimeout> | undefined;

  /** Takes the request of the call, and starts the timer. */
  constructor(request: RequestContext, options: ProgressOptions) {
    this.#request = request;
    this.#options = options;
    this.#restartTimer();
  }

  /** Sends a line to the client. */
  report(line: string): void {
    this.#last = line;
    this.#send(line);
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
      this.#send(this.#last ?? `${this.#options.tool}: ${seconds} s`);
    }, HEARTBEAT_MS);
  }

  #send(line: string): void {
    this.#next = line;
    this.#restartTimer();
    this.#sending ??= this.#sendAll().finally(() => this.#sending = undefined);
  }

  async #sendAll(): Promise<void> {
    const { progressToken } = this.#options;
    while (this.#next !== undefined) {
      const message = this.#next;
      this.#next = undefined;
      const params = { progressToken, progress: ++this.#count, message };
      try {
        await this.#request.mcpReq.notify({ method: "notifications/progress", params });
      } catch {
        // The client has disconnected.
        return;
      }
    }
  }
}

/** Sends the prints of a tool during a call as log messages of MCP, and writes them to stderr. */
export class PrintLog implements AsyncDisposable {
  #sent: Promise<unknown> = Promise.resolve();
  readonly #send: TakePrint;

  /** Takes the request of the call. */
  constructor({ mcpReq }: RequestContext) {
    this.#send = limitPrints(({ tool, level, text }) => {
      this.#sent = this.#sent
        .then(() => mcpReq.log(level, text.replace(/\n$/, ""), tool))
        // The client has disconnected.
        .catch(() => {});
    });
  }

  /** Logs one print. */
  log(print: Print): void {
    printToStderr(print);
    this.#send(print);
  }

  /** Waits until all prints are sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sent;
  }
}

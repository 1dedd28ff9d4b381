/** Notices that the server was lost, so that nothing waits for an answer which cannot come. */

import type { NatsConnection } from "@nats-io/transport-node";
import { delay } from "@std/async/delay";

/** The longest time until the next try after a failed one, in milliseconds. */
const RETRY_MS = 250;

/** Watches a connection. */
export class ServerWatch {
  #lost = Promise.withResolvers<never>();
  #back = Promise.withResolvers<void>();

  /** Takes the connection. */
  constructor(readonly connection: NatsConnection) {
    this.#lost.promise.catch(() => {});
    this.#follow();
  }

  /** Returns the result of a request. Rejects as soon as the connection is lost. */
  async untilLost<T>(request: Promise<T>): Promise<T> {
    // The answer comes too late if it comes after all, and nobody handles its failure.
    request.catch(() => {});
    return await Promise.race([request, this.#lost.promise]);
  }

  /** Resolves when the connection is there again, and at the latest after a short pause. */
  async untilBack(): Promise<void> {
    await Promise.race([this.#back.promise, delay(RETRY_MS)]);
  }

  /** Resolves when the connection was lost and is there again. */
  async nextBack(): Promise<void> {
    await this.#back.promise;
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === "disconnect") {
        this.#lost.reject(new Error("the connection to the server was lost"));
        this.#lost = Promise.withResolvers();
        this.#lost.promise.catch(() => {});
      } else if (type === "reconnect") {
        this.#back.resolve();
        this.#back = Promise.withResolvers();
      }
    }
  }
}

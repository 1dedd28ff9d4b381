/** Notices that the server was lost, so that nothing waits for an answer which cannot come. */

import type { NatsConnection } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";

/** The longest time until the next try after a failed one, in milliseconds. */
const RETRY_MS = 250;

/** Watches a connection. */
export class ServerWatch {
  /** Fails the requests under way. A race with one promise would keep a trace of each request. */
  readonly #fail = new Set<(error: Error) => void>();
  #back = Promise.withResolvers<void>();

  /** Takes the connection. */
  constructor(readonly connection: NatsConnection) {
    this.#follow();
  }

  /** Returns the result of a request. Rejects as soon as the connection is lost. */
  untilLost<T>(request: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#fail.add(reject);
      // An answer or a failure that comes too late has no effect.
      request.then(resolve, reject).finally(() => this.#fail.delete(reject));
    });
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
        for (const fail of this.#fail) fail(new Error("the connection to the server was lost"));
        this.#fail.clear();
      } else if (type === "reconnect") {
        this.#back.resolve();
        this.#back = Promise.withResolvers();
      }
    }
  }
}

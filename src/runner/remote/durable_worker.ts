/** Takes durable calls from the queue, and keeps them until each has its result. */

import { type Consumer, jetstream, type JsMsg } from "@nats-io/jetstream";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import type { Registry } from "../registry/registry.ts";
import { Blobs } from "./blobs.ts";
import { DurableCalls } from "./durable_calls.ts";
import { answerPack } from "./durable_packs.ts";
import { decodeArguments } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import { CALLS_STREAM, consumerName, isPackId, QUEUE, readJobSubject } from "./subjects.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The time that the queue is asked for a call, in milliseconds. A stopped worker waits for it. */
const PULL_MS = 1_000;

/** The shortest time between two signs of life of a call, in milliseconds. */
const MIN_BEAT_MS = 100;

/** The pulls of a worker, and the calls that they bring. */
export class DurableWorker {
  #isStopped = false;
  readonly #running = new Set<Promise<void>>();
  #pulling: Promise<void> | undefined;
  #ping: Subscription | undefined;
  /** The time of the last answered pull, in milliseconds since 1970. */
  lastPull = Date.now();

  private constructor(
    readonly connection: NatsConnection,
    readonly calls: DurableCalls,
    readonly beatMs: number,
  ) {}

  /** Starts to take the calls of a pool. Rejects with `unavailable` without the streams. */
  static async start(
    connection: NatsConnection,
    { pool, slots, ...context }: {
      pool: string;
      slots: number;
      worker: string;
      calls: WorkerCalls;
      registry: Registry;
    },
  ): Promise<DurableWorker> {
    const manager = await openStreams(connection, pool);
    const client = jetstream(connection);
    const { config } = await manager.consumers.info(CALLS_STREAM, consumerName(pool));
    const leaseMs = Number(config.ack_wait ?? 30e9) / 1e6;
    const beatMs = Math.max(MIN_BEAT_MS, leaseMs / 3);
    const watch = new ServerWatch(connection);
    const ledger = new Ledger(client, manager, context.worker, watch);
    const calls = new DurableCalls(connection, ledger, new Blobs(connection), context);
    const worker = new DurableWorker(connection, calls, beatMs);
    const consumer = await client.consumers.get(CALLS_STREAM, consumerName(pool));
    worker.#pulling = worker.#pull(consumer, slots);
    worker.#ping = connection.subscribe(`toolcall.ping.${pool}`, {
      queue: QUEUE,
      callback: (error, message) => {
        if (error === null) message.respond(context.worker);
      },
    });
    return worker;
  }

  /** Takes no further call. */
  stop(): void {
    this.#isStopped = true;
    this.#ping?.unsubscribe();
  }

  /** Resolves when the calls that were taken have their results. */
  async untilAnswered(): Promise<void> {
    await this.#pulling;
    await Promise.all(this.#running);
  }

  /** Takes as many calls as there are free slots, with one request for all of them. */
  async #pull(consumer: Consumer, slots: number): Promise<void> {
    const { watch } = this.calls.ledger;
    while (!this.#isStopped) {
      if (this.#running.size >= slots) {
        await Promise.race(this.#running);
        continue;
      }
      try {
        const wanted = { max_messages: slots - this.#running.size, expires: PULL_MS };
        // A call that comes after the stop runs too: to hand it back would count as a lost worker.
        for await (const message of await watch.untilLost(consumer.fetch(wanted))) {
          this.#start(message);
        }
        this.lastPull = Date.now();
      } catch {
        if (this.connection.isClosed()) return;
        await watch.untilBack();
      }
    }
  }

  #start(message: JsMsg): void {
    // After a failure, the call is delivered again when its lease ends.
    const running = this.#answer(message).catch(() => {}).finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #answer(message: JsMsg): Promise<void> {
    const beat = setInterval(() => message.working(), this.beatMs);
    try {
      const place = readJobSubject(message.subject);
      if (isPackId(place.id)) {
        if (await answerPack(this.calls, message)) message.ack();
        return;
      }
      const { data, headers, info } = message;
      const outcome = await this.calls.answer({
        ...{ ...place, data, headers, deliveries: info.deliveryCount },
        read: async ({ blob }) =>
          decodeArguments(blob === undefined ? data : await this.calls.blobs.get(blob)),
      });
      // If the server does not get this, the ledger tells the next worker that the call is over.
      if (outcome === "given_up") message.term();
      else message.ack();
    } finally {
      clearInterval(beat);
    }
  }
}

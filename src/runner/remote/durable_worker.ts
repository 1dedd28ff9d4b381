/** Takes durable calls from the queue, and keeps them until each has its result. */

import {
  type Consumer,
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  type JsMsg,
} from "@nats-io/jetstream";
import type { Msg, Subscription } from "@nats-io/nats-core";
import type { Registry } from "../registry/registry.ts";
import { Blobs } from "./blobs.ts";
import { DurableCalls } from "./durable_calls.ts";
import { answerPack } from "./durable_packs.ts";
import { decodeArguments } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import type { MessageReply, Replies } from "./replies.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import {
  CALLS_STREAM,
  consumerName,
  isPackId,
  QUEUE,
  readJobSubject,
  taskConsumerName,
  taskSubject,
} from "./subjects.ts";
import { TaskRuns } from "./task_runs.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The time that the queue is asked for a call, in milliseconds. A stopped worker waits for it. */
const PULL_MS = 1_000;

/** The shortest time between two signs of life of a call, in milliseconds. */
const MIN_BEAT_MS = 100;

/** The pulls of a worker, and the calls that they bring. */
export class DurableWorker {
  #isStopped = false;
  /** The pulls that {@link begin} starts, and those that run. */
  readonly #waiting: (() => Promise<void>)[] = [];
  #pulling: Promise<void>[] = [];
  readonly #subscriptions: Subscription[] = [];
  /** The time of the last answered pull, in milliseconds since 1970. */
  lastPull = Date.now();

  private constructor(
    readonly replies: Replies,
    readonly watch: ServerWatch,
    readonly beatMs: number,
  ) {}

  /**
   * Prepares to take the calls of a pool, and background tasks of the tools `background`. Rejects with
   * `unavailable` without the streams.
   */
  static async start(
    replies: Replies,
    { pool, slots, taskSlots, background, ...context }: {
      pool: string;
      /** The number of calls that are taken at once. */
      slots: number;
      /** The number of background tasks at the same time. */
      taskSlots: number;
      background: readonly string[];
      worker: string;
      calls: WorkerCalls;
      registry: Registry;
    },
  ): Promise<DurableWorker> {
    const { connection } = replies;
    const manager = await openStreams(connection, pool);
    const client = jetstream(connection);
    const { config } = await manager.consumers.info(CALLS_STREAM, consumerName(pool));
    const leaseMs = Number(config.ack_wait ?? 30e9) / 1e6;
    const beatMs = Math.max(MIN_BEAT_MS, leaseMs / 3);
    const watch = new ServerWatch(connection);
    const ledger = new Ledger(client, manager, context.worker, watch);
    const blobs = new Blobs(connection);
    const calls = new DurableCalls(connection, ledger, blobs, context);
    const worker = new DurableWorker(replies, watch, beatMs);
    const consumer = await client.consumers.get(CALLS_STREAM, consumerName(pool));
    const queue = await taskQueue(client, pool);
    worker.#reply(`toolcall.ping.${pool}`, () => context.worker);
    if (queue !== undefined) {
      const tasks = new TaskRuns(ledger, blobs, { ...context, clock: calls.clock, beatMs });
      for (const tool of background) {
        worker.#reply(
          taskSubject(pool, tool),
          async (message, { user }) => JSON.stringify(await tasks.check(tool, message, user)),
        );
      }
      worker.#waiting.push(() =>
        worker.#pull(queue, taskSlots, (message) => tasks.answer(message))
      );
    }
    worker.#waiting.push(() => worker.#pull(consumer, slots, (job) => answerCall(calls, job)));
    return worker;
  }

  /** Begins to take calls. */
  begin(): void {
    this.#pulling = this.#waiting.map((pull) => pull());
  }

  /** Answers the requests on a subject, as one of the workers. */
  #reply(
    subject: string,
    answer: (message: Msg, reply: MessageReply) => string | Promise<string>,
  ): void {
    const callback = (error: Error | null, message: Msg) => {
      const reply = error === null ? this.replies.open(message) : undefined;
      if (reply === undefined) return;
      // Without an answer, the caller says that no worker has answered.
      Promise.resolve(answer(message, reply)).then((text) => reply.send(text), () => {});
    };
    const { connection } = this.replies;
    this.#subscriptions.push(connection.subscribe(subject, { queue: QUEUE, callback }));
  }

  /** Takes no further call. */
  stop(): void {
    this.#isStopped = true;
    for (const each of this.#subscriptions) each.unsubscribe();
  }

  /** Resolves when the calls that were taken have their results. */
  async untilAnswered(): Promise<void> {
    await Promise.all(this.#pulling);
  }

  /**
   * Takes as many messages as there are free slots, with one request for all of them. Resolves when all
   * are answered, after {@link stop}.
   */
  async #pull(
    consumer: Consumer,
    slots: number,
    answer: (message: JsMsg) => Promise<JobEnd>,
  ): Promise<void> {
    const { watch } = this;
    const running = new Set<Promise<void>>();
    const start = (message: JsMsg) => {
      // After a failure, the message is delivered again when its lease ends.
      const answered = this.#answer(message, answer).catch(() => {}).finally(() => {
        running.delete(answered);
      });
      running.add(answered);
    };
    while (!this.#isStopped) {
      if (running.size >= slots) {
        await Promise.race(running);
        continue;
      }
      try {
        const wanted = { max_messages: slots - running.size, expires: PULL_MS };
        // A call that comes after the stop runs too: to hand it back would count as a lost worker.
        for await (const message of await watch.untilLost(consumer.fetch(wanted))) {
          start(message);
        }
        this.lastPull = Date.now();
      } catch {
        if (this.replies.connection.isClosed()) break;
        await watch.untilBack();
      }
    }
    await Promise.all(running);
  }

  async #answer(message: JsMsg, answer: (message: JsMsg) => Promise<JobEnd>): Promise<void> {
    const beat = setInterval(() => message.working(), this.beatMs);
    try {
      const end = await answer(message);
      // If the server does not get this, the ledger tells the next worker that the call is over.
      if (end === "given_up") message.term();
      else if (end === "ended") message.ack();
    } finally {
      clearInterval(beat);
    }
  }
}

/** The queue of background tasks. Undefined if the streams are older: "worker init" adds it. */
async function taskQueue(client: JetStreamClient, pool: string): Promise<Consumer | undefined> {
  try {
    return await client.consumers.get(CALLS_STREAM, taskConsumerName(pool));
  } catch (error) {
    if (error instanceof JetStreamApiError) return undefined;
    throw error;
  }
}

/** The end of a message: the queue forgets it, drops it, or gives it to another worker. */
type JobEnd = "ended" | "given_up" | "left";

async function answerCall(calls: DurableCalls, message: JsMsg): Promise<JobEnd> {
  const place = readJobSubject(message.subject);
  if (isPackId(place.id)) return await answerPack(calls, message) ? "ended" : "left";
  const { data, headers, info } = message;
  const outcome = await calls.answer({
    ...{ ...place, data, headers, time: message.time, deliveries: info.deliveryCount },
    read: async ({ blob }) =>
      decodeArguments(blob === undefined ? data : await calls.blobs.get(blob)),
  });
  return outcome === "given_up" ? "given_up" : "ended";
}

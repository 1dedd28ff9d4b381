/** Takes durable calls from the queue. Each gets exactly one result; a change starts at most once. */

import { type Consumer, jetstream, type JsMsg } from "@nats-io/jetstream";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import type { Registry } from "../registry/registry.ts";
import { Blobs } from "./blobs.ts";
import { checkBlob, decodeArguments, encodeJson, readRequestHeaders } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import { resultHeaders } from "./reply_headers.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import {
  CALLS_STREAM,
  consumerName,
  deadSubject,
  HEADERS,
  progressSubject,
  QUEUE,
  readJobSubject,
  resultSubject,
} from "./subjects.ts";
import { reachPoint } from "./test_points.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The number of workers that may be lost with a call before it is given up. */
const MAX_DELIVERIES = 3;

/** The time that the queue is asked for a call, in milliseconds. A stopped worker waits for it. */
const PULL_MS = 1_000;

/** The tries to store the copy of a call that is given up, and the milliseconds for each. */
const [MAX_COPY_TRIES, COPY_MS] = [20, 2_000];

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
    readonly ledger: Ledger,
    readonly context: { worker: string; calls: WorkerCalls; registry: Registry; beatMs: number },
    readonly blobs: Blobs,
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
    const worker = new DurableWorker(
      connection,
      ledger,
      { ...context, beatMs },
      new Blobs(connection),
    );
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
    const { watch } = this.ledger;
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
    const { pool, batch, id, tool } = readJobSubject(message.subject);
    const subject = resultSubject(batch, id);
    const nonce = crypto.randomUUID();
    const deliveries = message.info.deliveryCount;
    const beat = setInterval(() => message.working(), this.context.beatMs);
    try {
      let expected = 0;
      let isRefused = false;
      const isRepeatable = await this.#isRepeatable(tool);
      await reachPoint("taken");
      if (deliveries > 1) {
        const record = await this.ledger.read(subject);
        if (record?.state === "done") return message.ack();
        if (record !== undefined) {
          await this.#write(subject, {
            ...{ expected: record.sequence, nonce, name: `${batch}.${id}` },
            result: failureResult(interrupted(tool, record.worker)),
          });
          return message.ack();
        }
      }
      if (deliveries > MAX_DELIVERIES) {
        const result = failureResult(givenUp(tool, deliveries - 1));
        // The copy comes first: the next worker writes it if this one is lost here.
        await this.#bury(deadSubject(pool, batch, id), message);
        await this.#write(subject, { expected, nonce, name: `${batch}.${id}`, result });
        return message.term();
      }
      const begins = async () => {
        if (isRepeatable) return undefined;
        const claim = await this.ledger.write(subject, { state: "running", expected: 0, nonce });
        await reachPoint("claimed");
        if (claim !== undefined) {
          expected = claim;
          return undefined;
        }
        isRefused = true;
        return failureResult(new CallError("cancelled", "The call was begun or cancelled before"));
      };
      const result = await this.#execute(message, { batch, id, tool, begins });
      await reachPoint("run");
      // Another worker or the caller has the word.
      if (!isRefused) {
        await this.#write(subject, { expected, nonce, name: `${batch}.${id}`, result });
      }
      await reachPoint("put");
      // If the server does not get this, the ledger tells the next worker that the call is over.
      message.ack();
    } finally {
      clearInterval(beat);
    }
  }

  /** Keeps a copy of a call that is given up. The caller gets its result also if that fails. */
  async #bury(subject: string, { data, headers }: JsMsg): Promise<void> {
    for (let tries = 0; tries < MAX_COPY_TRIES; tries++) {
      try {
        // The header with the id of the message is a part of the copy, so that it is stored once.
        const options = { ...(headers && { headers }), timeout: COPY_MS, retries: 0 };
        await this.ledger.watch.untilLost(this.ledger.client.publish(subject, data, options));
        return;
      } catch {
        await this.ledger.watch.untilBack();
      }
    }
  }

  async #execute(
    message: JsMsg,
    { batch, id, tool, begins }: {
      batch: string;
      id: string;
      tool: string;
      begins: () => Promise<CallResult | undefined>;
    },
  ): Promise<CallResult> {
    try {
      // The subject decides on the batch and the id, because the server checks who may publish it.
      const headers = { ...readRequestHeaders(message.headers), key: `${batch}.${id}` };
      checkBlob(headers);
      const data = headers.blob === undefined ? message.data : await this.blobs.get(headers.blob);
      const call = { name: tool, arguments: decodeArguments(data) };
      // Only reads are over at once, so they need no claim.
      const atOnce = this.context.calls.executeAtOnce(call, headers);
      if (atOnce !== undefined) return atOnce;
      const onProgress = (line: string) =>
        this.connection.publish(progressSubject(batch, id), line);
      return await this.context.calls.execute(call, headers, {
        ...{ begins, ...(headers.progress && { onProgress }) },
      });
    } catch (error) {
      return failureResult(failureOf(error));
    }
  }

  async #write(
    subject: string,
    { expected, nonce, name, result }: {
      expected: number;
      nonce: string;
      name: string;
      result: CallResult;
    },
  ): Promise<void> {
    const more = resultHeaders(result, this.context.worker);
    let data = encodeJson(result);
    if (data.length > this.blobs.threshold) {
      try {
        more.set(HEADERS.blob, await this.blobs.put(`${name}.${nonce}.result`, data));
        data = new Uint8Array();
      } catch (error) {
        data = encodeJson(failureResult(failureOf(error)));
      }
    }
    await this.ledger.write(subject, { state: "done", expected, nonce, data, more });
  }

  /** Whether a second run of the tool does no harm. */
  async #isRepeatable(tool: string): Promise<boolean> {
    try {
      const { metadata } = await this.context.registry.get(tool).load();
      return metadata.sideEffect === "none" || metadata.sideEffect === "read_only" ||
        metadata.idempotent === true;
    } catch {
      // The call fails, whatever its tool would do.
      return true;
    }
  }
}

function interrupted(tool: string, worker: string): CallError {
  const message = `The worker ${worker} was lost while it ran ${quote(tool)}; whether the call ` +
    "took effect is not known. Check it before you repeat the call";
  return new CallError("interrupted", message, { tool, worker });
}

function givenUp(tool: string, workers: number): CallError {
  const message = `The call of ${quote(tool)} was given up: ${workers} workers were lost with it`;
  return new CallError("unavailable", message, { tool, workers });
}

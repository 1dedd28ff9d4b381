/** Sends durable calls, and waits for their results. */

import {
  type ConsumerMessages,
  DeliverPolicy,
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type StoredMsg,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { IncomingCall, ToolCall } from "../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import type { RemoteOptions } from "./core_failures.ts";
import { decodeResult, encodeJson, headersOf } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import {
  argumentsBlob,
  encodeId,
  HEADERS,
  jobSubject,
  progressSubject,
  RESULTS_STREAM,
  resultSubject,
} from "./subjects.ts";

/** The time that one try may take, in milliseconds. */
const TRY_MS = 2_000;

/** How results are read. A lost server is noticed after two missed signs of life, one a second. */
const FOLLOW = { max_messages: 1_000, expires: 2_000 };

/** The time in which a worker has to answer that it is there, in milliseconds. */
const PING_MS = 2_000;

/** Puts calls into the queue of a pool, and gets each result from the ledger. */
export class DurableRunner {
  readonly #waiting = new Map<string, (result: Promise<CallResult>) => void>();
  readonly #seen = new Set<string>();
  readonly #watch: ServerWatch;
  readonly #ledger: Ledger;
  readonly #blobs: Blobs;
  #isClosed = false;

  private constructor(
    readonly connection: NatsConnection,
    readonly options: RemoteOptions,
    readonly client: JetStreamClient,
    readonly state: { manager: JetStreamManager; next: number; isContinued: boolean },
  ) {
    this.#watch = new ServerWatch(connection);
    this.#ledger = new Ledger(client, state.manager, "submit", this.#watch);
    this.#blobs = new Blobs(connection);
    this.#follow();
  }

  /** Opens a batch. Rejects with `unavailable` without the streams or a worker. */
  static async open(connection: NatsConnection, options: RemoteOptions): Promise<DurableRunner> {
    const manager = await openStreams(connection, options.pool);
    await requireWorker(connection, options.pool);
    const info = await manager.streams.info(RESULTS_STREAM, {
      subjects_filter: resultSubject(options.batch, ">"),
    });
    const isContinued = Object.keys(info.state.subjects ?? {}).length > 0;
    const state = { manager, next: info.state.last_seq + 1, isContinued };
    return new DurableRunner(connection, options, jetstream(connection), state);
  }

  /**
   * Executes one call on a worker. Aborting the signal ends the waiting, and not the call. Each failure
   * is a result. Never rejects.
   */
  async execute(
    incoming: IncomingCall,
    signal: AbortSignal,
    id: string | number,
  ): Promise<CallResult> {
    if ("failure" in incoming) return failureResult(incoming.failure);
    try {
      const token = encodeId(id);
      if (this.#seen.has(token)) throw repeated(id);
      this.#seen.add(token);
      return await this.#send(incoming.call, signal, token);
    } catch (error) {
      return failureResult(failureOf(error));
    }
  }

  /** Ends the waiting for results. */
  close(): void {
    this.#isClosed = true;
  }

  async #send(call: ToolCall, signal: AbortSignal, token: string): Promise<CallResult> {
    const { batch, pool } = this.options;
    const subject = jobSubject({ pool, batch, id: token, tool: call.name });
    if (this.state.isContinued) {
      const earlier = await this.#ledger.message(resultSubject(batch, token));
      if (earlier !== undefined && earlier.header.get(HEADERS.state) === "done") {
        return await this.#resultIn(earlier);
      }
    }
    let data = encodeJson(call.arguments);
    let blob: string | undefined;
    if (data.length > this.#blobs.threshold) {
      blob = await this.#blobs.put(argumentsBlob(`${batch}.${token}`), data);
      data = new Uint8Array();
    }
    const detached = Promise.withResolvers<never>();
    const leave = () => detached.reject(left(call, batch));
    signal.addEventListener("abort", leave, { once: true });
    const answered = new Promise<CallResult>((resolve) => this.#waiting.set(token, resolve));
    const { onProgress } = this.options;
    const progress = onProgress && this.connection.subscribe(progressSubject(batch, token), {
      callback: (error, message) => {
        if (error === null) onProgress(message.string());
      },
    });
    try {
      await Promise.race([this.#publish(subject, token, { data, blob, signal }), detached.promise]);
      return await Promise.race([answered, detached.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      progress?.unsubscribe();
      this.#waiting.delete(token);
    }
  }

  /** Puts a call into the queue. It tries again until the server has it. */
  async #publish(
    subject: string,
    token: string,
    { data, blob, signal }: { data: Uint8Array; blob: string | undefined; signal: AbortSignal },
  ): Promise<void> {
    const { batch } = this.options;
    const headers = headersOf(this.options, blob);
    const msgID = `${batch}.${token}`;
    while (!signal.aborted) {
      try {
        const options = { ...(headers && { headers }), msgID, timeout: TRY_MS, retries: 0 };
        await this.#watch.untilLost(this.client.publish(subject, data, options));
        return;
      } catch (error) {
        const { message } = error as Error;
        if (/permissions violation/i.test(message)) {
          throw new CallError("permission_denied", `The NATS server refuses the call: ${message}`);
        }
        await this.#watch.untilBack();
      }
    }
  }

  /** Reads the results of the batch as they come, also after the server was lost. */
  async #follow(): Promise<void> {
    while (!this.#isClosed && !this.connection.isClosed()) {
      try {
        const opened = this.client.consumers.get(RESULTS_STREAM, {
          filter_subjects: resultSubject(this.options.batch, ">"),
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: this.state.next,
        });
        const consumer = await this.#watch.untilLost(opened);
        const messages = await this.#watch.untilLost(consumer.consume(FOLLOW));
        // A server that was killed does not know the consumer any more.
        this.#watch.nextBack().then(() => messages.close());
        this.#closeWhenSilent(messages);
        for await (const message of messages) {
          this.state.next = message.seq + 1;
          this.#take(message);
          if (this.#isClosed) return;
        }
      } catch {
        await this.#watch.untilBack();
      }
    }
  }

  /**
   * Ends the reading when the server with the consumer is silent. The client would wait until that
   * server is back, although another one has the results too.
   */
  async #closeWhenSilent(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) {
      if (type === "heartbeats_missed") messages.close();
    }
  }

  #take(message: JsMsg): void {
    if (message.headers?.get(HEADERS.state) !== "done") return;
    const token = message.subject.split(".").at(-1)!;
    this.#waiting.get(token)?.(this.#resultIn({ data: message.data, header: message.headers }));
  }

  async #resultIn({ data, header }: Pick<StoredMsg, "data" | "header">): Promise<CallResult> {
    const blob = header.get(HEADERS.blob);
    try {
      return decodeResult(blob ? await this.#blobs.get(blob) : data);
    } catch (error) {
      return failureResult(failureOf(error));
    }
  }
}

/** Rejects with `unavailable` if no worker of the pool answers. */
async function requireWorker(connection: NatsConnection, pool: string): Promise<void> {
  try {
    await connection.request(`toolcall.ping.${pool}`, "", { timeout: PING_MS });
  } catch {
    const message = `No worker of the pool ${quote(pool)} takes durable calls; start one with ` +
      '"toolcall worker --nats=URL --durable"';
    throw new CallError("unavailable", message, { pool });
  }
}

function repeated(id: string | number): CallError {
  const message =
    `The id ${quote(String(id), 80)} comes twice in the batch; each call of a durable ` +
    "batch needs its own id";
  return new CallError("malformed_call", message, { id });
}

function left({ name }: ToolCall, batch: string): CallError {
  const own = batch.slice(batch.indexOf(".") + 1);
  const message = `Stopped waiting for ${quote(name)}; the call goes on. Get its result with ` +
    `"toolcall submit --batch=${own} --attach", or end it with --cancel`;
  return new CallError("cancelled", message, { batch: own });
}

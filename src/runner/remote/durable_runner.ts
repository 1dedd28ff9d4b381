/** Sends durable calls, and waits for their results. */

import {
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection, Subscription } from "@nats-io/nats-core";
import type { IncomingCall, ToolCall } from "../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import { CallPacks } from "./call_packs.ts";
import { leftCall, type RemoteOptions, repeatedId } from "./core_failures.ts";
import { EarlierResults } from "./earlier_results.ts";
import { encodeJson, headersOf } from "./envelope.ts";
import { followResults } from "./follow_results.ts";
import { Ledger } from "./ledger.ts";
import { isAbandoned, lookForOverdue } from "./overdue_results.ts";
import { natsFailure, withNatsFailures } from "./nats_failures.ts";
import { publishJob } from "./publish_job.ts";
import { interrupted, isRunning, recordedPack, recordedResult } from "./recorded_result.ts";
import type { RemoteTasks } from "./remote_tasks.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams, requireWorker } from "./streams.ts";
import {
  argumentsBlob,
  encodeId,
  HEADERS,
  isPackId,
  jobSubject,
  newPackId,
  progressSubject,
  resultId,
  RESULTS_STREAM,
  resultSubject,
} from "./subjects.ts";
import { asksForBackground } from "./task_process.ts";
import type { JsonId } from "../../base/json/inexact_number.ts";

/** A call that waits for its result. */
interface Waiting {
  call: ToolCall;
  resolve(result: CallResult | Promise<CallResult>): void;
}

/** Puts calls into the queue of a pool, and gets each result from the ledger. */
export class DurableRunner {
  readonly #waiting = new Map<string, Waiting>();
  readonly #seen = new Set<string>();
  readonly #watch: ServerWatch;
  readonly #ledger: Ledger;
  readonly #blobs: Blobs;
  readonly #earlier: EarlierResults;
  /** The tools whose last calls were over at once. Further calls of them are packed. */
  readonly #quick = new Set<string>();
  readonly #packing = new CallPacks(({ subject: tool, ids, payload }) => {
    const pack = newPackId();
    this.#packs.set(pack, ids);
    this.#sendOne(tool, ids, new TextEncoder().encode(payload), pack);
  });
  /** The calls of the packs that have no record yet. */
  readonly #packs = new Map<string, readonly string[]>();
  /** The packs of the calls that wait although their pack has a record. */
  readonly #packOf = new Map<string, string>();
  #mayPack = true;
  readonly #stopped = new AbortController();
  #progress: Subscription | undefined;

  private constructor(
    readonly connection: NatsConnection,
    readonly options: RemoteOptions,
    readonly client: JetStreamClient,
    readonly state: { manager: JetStreamManager; next: number },
    readonly tasks: () => Promise<RemoteTasks>,
  ) {
    this.#watch = new ServerWatch(connection);
    this.#ledger = new Ledger(client, state.manager, "submit", this.#watch);
    this.#blobs = new Blobs(connection);
    this.#earlier = new EarlierResults(this.#ledger, this.#blobs);
  }

  /**
   * Opens a batch. `tasks` opens what starts background tasks. Rejects with `unavailable` without the
   * streams or a worker.
   */
  static async open(
    connection: NatsConnection,
    options: RemoteOptions,
    tasks: () => Promise<RemoteTasks>,
  ): Promise<DurableRunner> {
    const manager = await openStreams(connection, options.pool);
    await requireWorker(connection, options);
    const filter = { subjects_filter: resultSubject(options.batch, ">") };
    const info = await withNatsFailures(() => manager.streams.info(RESULTS_STREAM, filter));
    const state = { manager, next: info.state.last_seq + 1 };
    const runner = new DurableRunner(connection, options, jetstream(connection), state, tasks);
    await runner.#earlier.addAll(Object.keys(info.state.subjects ?? {}));
    followResults(connection, {
      ...{ client: runner.client, watch: runner.#watch, batch: options.batch, next: state.next },
      signal: runner.#stopped.signal,
      take: (message) => runner.#take(message, message.headers),
    });
    lookForOverdue(() => runner.#awaitedRecords(), {
      look: (id) => runner.#lookUp(id),
      signal: runner.#stopped.signal,
    });
    const { batch, onProgress } = options;
    // One subscription for all calls, because one for each would cost as much as the call.
    runner.#progress = onProgress && connection.subscribe(progressSubject(batch, "*"), {
      callback: (error, message) => {
        if (error === null) onProgress(message.string());
      },
    });
    return runner;
  }

  /**
   * Executes one call on a worker. Aborting the signal ends the waiting, and not the call. Each failure
   * is a result. Never rejects.
   */
  async execute(incoming: IncomingCall, signal: AbortSignal, id: JsonId): Promise<CallResult> {
    if ("failure" in incoming) return failureResult(incoming.failure);
    try {
      const token = encodeId(id);
      if (this.#seen.has(token)) throw repeatedId(id);
      this.#seen.add(token);
      return await this.#send(incoming.call, signal, token);
    } catch (error) {
      return failureResult(failureOf(natsFailure(error)));
    }
  }

  /**
   * Sends a call together with others, if such calls were over at once so far. Returns `undefined` for
   * any other call, and for one that {@link execute} has to refuse or to look for. Never rejects.
   */
  executeSoon(call: ToolCall, id: JsonId): Promise<CallResult> | undefined {
    if (!this.#mayPack || !this.#quick.has(call.name) || this.options.deadlineMs !== undefined) {
      return undefined;
    }
    if (asksForBackground(call.arguments)) return undefined;
    const token = encodeId(id);
    if (this.#seen.has(token) || this.#earlier.has(token)) return undefined;
    if (!this.#packing.add(call.name, token, call.arguments)) return undefined;
    this.#seen.add(token);
    return this.#answered(call, token);
  }

  /** Ends the waiting for the calls of {@link executeSoon}. The calls go on. */
  stop(): void {
    this.#stopped.abort();
    const { batch } = this.options;
    for (const { call, resolve } of [...this.#waiting.values()]) {
      resolve(failureResult(leftCall(call, batch)));
    }
  }

  /** Ends the waiting for results. */
  close(): void {
    this.#stopped.abort();
    this.#progress?.unsubscribe();
  }

  async #send(call: ToolCall, signal: AbortSignal, token: string): Promise<CallResult> {
    const { batch, pool } = this.options;
    const subject = jobSubject({ pool, batch, id: token, tool: call.name });
    const earlier = await this.#earlier.find(token);
    if (earlier !== undefined) return earlier;
    if (asksForBackground(call.arguments)) {
      const place = { batch: batch.slice(batch.indexOf(".") + 1), token, signal };
      const started = await (await this.tasks()).start(call, place);
      if (started !== undefined) return started;
    }
    const detached = Promise.withResolvers<never>();
    const leave = () => detached.reject(leftCall(call, batch));
    signal.addEventListener("abort", leave, { once: true });
    const answered = this.#answered(call, token);
    try {
      let data = encodeJson(call.arguments);
      let blob: string | undefined;
      if (data.length > this.#blobs.threshold) {
        blob = await this.#blobs.put(argumentsBlob(`${batch}.${token}`), data);
        data = new Uint8Array();
      }
      await Promise.race([this.#publish(subject, token, { data, blob, signal }), detached.promise]);
      return await Promise.race([answered, detached.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(token);
    }
  }

  /** Resolves to the result of a call when it comes. */
  #answered(call: ToolCall, token: string): Promise<CallResult> {
    return new Promise((resolve) => {
      this.#waiting.set(token, {
        call,
        resolve: (result) => {
          this.#waiting.delete(token);
          this.#packOf.delete(token);
          resolve(result);
        },
      });
    });
  }

  /** Sends the message of these calls. `token` is the id of the pack, or of the only call. */
  async #sendOne(
    tool: string,
    ids: readonly string[],
    data: Uint8Array,
    token: string,
  ): Promise<void> {
    const { pool, batch } = this.options;
    const { signal } = this.#stopped;
    try {
      const subject = jobSubject({ pool, batch, id: token, tool });
      await this.#publish(subject, token, { data, blob: undefined, signal });
    } catch (error) {
      const failure = failureResult(failureOf(error));
      for (const id of ids) this.#waiting.get(id)?.resolve(failure);
    }
  }

  /** Puts a message into the queue. It tries again until the server has it, or `signal` is aborted. */
  async #publish(
    subject: string,
    token: string,
    { data, blob, signal }: { data: Uint8Array; blob: string | undefined; signal: AbortSignal },
  ): Promise<void> {
    const headers = headersOf(this.options, blob === undefined ? {} : { blob });
    const msgID = `${this.options.batch}.${token}`;
    await publishJob(this.#ledger, subject, { data, headers, msgID, signal });
  }

  /** The ids of the packs, and of the other calls, that have no result yet. */
  #awaitedRecords(): Iterable<string> {
    const packed = new Set([...this.#packs.values()].flat());
    return [...this.#packs.keys(), ...new Set(this.#waiting.keys()).difference(packed)];
  }

  /** Takes the result of a call or of a pack from the ledger, if it is there. */
  async #lookUp(id: string): Promise<void> {
    try {
      const message = await this.#ledger.message(resultSubject(this.options.batch, id));
      if (message === undefined) return;
      if (!isRunning(message.header)) return this.#take(message, message.header);
      const waiting = this.#waiting.get(id);
      if (waiting === undefined) return;
      const [{ pool, batch }, tool] = [this.options, waiting.call.name];
      const job = jobSubject({ pool, batch, id: this.#packOf.get(id) ?? id, tool });
      if (!await isAbandoned(this.#ledger, { record: message, job })) return;
      waiting.resolve(failureResult(interrupted(message.header.get(HEADERS.worker), tool)));
    } catch { /* The connection was closed. */ }
  }

  #take({ subject, data }: Pick<JsMsg, "subject" | "data">, headers: MsgHdrs | undefined): void {
    if (isRunning(headers)) return;
    const token = resultId(subject);
    if (isPackId(token)) {
      const results = recordedPack(data);
      if (results === undefined) this.#unpack(token);
      for (const [id, result] of results ?? []) this.#resolve(id, subject, result);
      for (const id of this.#packs.get(token) ?? []) {
        if (this.#waiting.has(id)) this.#packOf.set(id, token);
      }
      this.#packs.delete(token);
      return;
    }
    const waiting = this.#waiting.get(token);
    const isQuick = Boolean(headers?.get(HEADERS.quick));
    if (waiting !== undefined) this.#quick[isQuick ? "add" : "delete"](waiting.call.name);
    const record = { subject, data, header: headers };
    this.#resolve(token, subject, () => recordedResult(record, this.#blobs));
  }

  /** Sends the calls of a pack one by one, and packs no more: some worker is an older version. */
  #unpack(pack: string): void {
    this.#mayPack = false;
    for (const token of this.#packs.get(pack) ?? []) {
      const call = this.#waiting.get(token)?.call;
      if (call !== undefined) this.#sendOne(call.name, [token], encodeJson(call.arguments), token);
    }
  }

  #resolve(
    token: string,
    subject: string,
    result: CallResult | (() => Promise<CallResult>),
  ): void {
    const waiting = this.#waiting.get(token);
    if (waiting !== undefined) waiting.resolve(typeof result === "function" ? result() : result);
    // It is the result of a call that this process sends later, when the batch is continued.
    else if (!this.#seen.has(token)) this.#earlier.add(token, subject);
  }
}

/** Attaches to a durable batch. */

import { jetstream, type JetStreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import type { JsonId } from "../../base/json/inexact_number.ts";
import { CallError } from "../../base/errors.ts";
import { type CallResult, failureResult } from "../call/failure.ts";
import { type BatchPlace, packedCalls, waitingJobs } from "./batch_jobs.ts";
import { Blobs } from "./blobs.ts";
import { ELECTION_MS, throughElection } from "./elections.ts";
import { openResults } from "./follow_results.ts";
import { Ledger } from "./ledger.ts";
import { isNatsError, withNatsFailures } from "./nats_failures.ts";
import { interrupted, isRunning, recordedPack, recordedResult } from "./recorded_result.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import {
  decodeId,
  HEADERS,
  isPackId,
  isTaskJob,
  readJobSubject,
  resultId,
  RESULTS_STREAM,
  resultSubject,
} from "./subjects.ts";

/** The times between two looks at the queue, and for records that the server has left out, in ms. */
const [LOOK_MS, LOOK_UP_MS] = [250, 10_000];

/** The time in which the next result has to come, in milliseconds. */
const READ_MS = 1_000;

/** A function that takes the results of a batch, and the signal that ends the waiting for them. */
interface Taker {
  take(id: JsonId, result: CallResult): Promise<void>;
  signal: AbortSignal;
}

/**
 * Passes each result of a batch to `take`, the earlier ones first, until no call waits or runs.
 * Rejects with `unavailable` if the server knows nothing of the batch.
 */
export async function attachBatch(
  connection: NatsConnection,
  place: BatchPlace,
  taker: Taker,
): Promise<void> {
  await withNatsFailures(async () => {
    const manager = await openStreams(connection, place.pool);
    const batch = new AttachedBatch(connection, manager, { ...place, ...taker });
    for (let failed: number | undefined; !taker.signal.aborted; await delay(LOOK_MS)) {
      try {
        if (await batch.readRound()) return;
        failed = undefined;
      } catch (error) {
        // The consumer is lost with its server. The next round makes another one.
        failed ??= performance.now();
        if (!isNatsError(error) || performance.now() - failed > ELECTION_MS) throw error;
      }
    }
  });
}

/** The results of a batch that were read so far. */
class AttachedBatch {
  readonly #ledger: Ledger;
  readonly #blobs: Blobs;
  #next = 1;
  #nextLookUp = Date.now() + LOOK_UP_MS;
  /** The ids of the records that have a result. */
  readonly #read = new Set<string>();
  /** A call that was sent again by a second submitter can have two records. The first one counts. */
  readonly #taken = new Set<string>();
  /** The subjects of the calls in the queue that have their results. */
  readonly #over = new Set<string>();

  constructor(
    readonly connection: NatsConnection,
    readonly manager: JetStreamManager,
    readonly options: BatchPlace & Taker,
  ) {
    const watch = new ServerWatch(connection);
    this.#ledger = new Ledger(jetstream(connection), manager, "submit", watch);
    this.#blobs = new Blobs(connection);
  }

  /** Passes the results that are there. Returns whether the batch is over. */
  async readRound(): Promise<boolean> {
    const { connection, manager, options } = this;
    const jobs = await waitingJobs(connection, options);
    const filter = resultSubject(options.batch, ">");
    const { state } = await manager.streams.info(RESULTS_STREAM, { subjects_filter: filter });
    const records = Object.keys(state.subjects ?? {});
    if (jobs.length === 0 && records.length === 0 && this.#taken.size === 0) {
      throw unknownBatch(options.batch);
    }
    const last = state.last_seq;
    if (records.length > 0 && this.#next <= last && !await this.#readNew(filter)) return false;
    this.#next = Math.max(this.#next, last + 1);
    // The result of a call is written before the call leaves the queue. A server that was lost may
    // have left out records, and may keep calls in the queue that are over.
    if (!await this.#areOver(jobs) && Date.now() < this.#nextLookUp) return false;
    const running = await this.#lookUp(records);
    this.#nextLookUp = Date.now() + LOOK_UP_MS;
    if (!await this.#areOver(jobs)) return false;
    if (running.length === 0) return true;
    // A submitter may have sent these calls after the first look at the queue.
    if (!await this.#areOver(await waitingJobs(connection, options))) return false;
    await this.#passAbandoned(running);
    return true;
  }

  /** Passes the results of new records. Returns whether all of them were read. */
  async #readNew(filter: string): Promise<boolean> {
    const run = () => openResults(jetstream(this.connection), filter, this.#next);
    const consumer = await throughElection(this.connection, { run });
    let isRead = (await consumer.info(true)).num_pending === 0;
    while (!isRead && !this.options.signal.aborted) {
      const message = await consumer.next({ expires: READ_MS });
      // A server that is lost or slow sends nothing. The rest is read by the next round.
      if (message === null) break;
      this.#next = message.seq + 1;
      await this.#passRecord(message, message.headers);
      isRead = message.info.pending === 0;
    }
    return isRead;
  }

  /** Passes the results that the server has left out. Returns the records of calls that were begun. */
  async #lookUp(records: readonly string[]): Promise<StoredMsg[]> {
    const running: StoredMsg[] = [];
    for (const subject of records.filter((each) => !this.#read.has(resultId(each)))) {
      const record = await this.#ledger.message(subject);
      if (record === undefined) continue;
      await this.#passRecord(record, record.header);
      if (isRunning(record.header)) running.push(record);
    }
    return running;
  }

  /** Passes a failure for calls that were begun and have left the queue: nobody writes their results. */
  async #passAbandoned(running: readonly StoredMsg[]): Promise<void> {
    for (const { subject, seq } of running) {
      const record = await this.#ledger.message(subject);
      if (record?.seq !== seq) continue;
      const failure = interrupted(record.header.get(HEADERS.worker));
      await this.#pass(resultId(subject), failureResult(failure));
    }
  }

  async #passRecord(
    { subject, data }: Pick<StoredMsg, "subject" | "data">,
    header: MsgHdrs | undefined,
  ): Promise<void> {
    const token = resultId(subject);
    if (isRunning(header) || this.#read.has(token)) return;
    this.#read.add(token);
    if (isPackId(token)) {
      for (const [id, result] of recordedPack(data) ?? []) await this.#pass(id, result);
      return;
    }
    await this.#pass(token, await recordedResult({ subject, data, header }, this.#blobs));
  }

  async #pass(token: string, result: CallResult): Promise<void> {
    if (this.#taken.has(token)) return;
    this.#taken.add(token);
    await this.options.take(decodeId(token), result);
  }

  /** Whether these calls in the queue have their results: a pack when each of its calls has one. */
  async #areOver(jobs: readonly string[]): Promise<boolean> {
    for (const subject of jobs) {
      if (this.#over.has(subject)) continue;
      const { id } = readJobSubject(subject);
      if (isTaskJob(subject) || !this.#read.has(id)) return false;
      const calls = isPackId(id) ? await packedCalls(this.manager, subject) : [];
      if (!calls.every((each) => this.#taken.has(each))) return false;
      this.#over.add(subject);
    }
    return true;
  }
}

function unknownBatch(batch: string): CallError {
  const own = batch.slice(batch.indexOf(".") + 1);
  const message = `The server has no call and no result of the batch ${own}; results are kept ` +
    "for 24 hours";
  return new CallError("unavailable", message, { batch: own });
}

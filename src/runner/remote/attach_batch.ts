/** Attaches to a durable batch. */

import { DeliverPolicy, jetstream, type StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import { CallError } from "../../base/errors.ts";
import type { CallResult } from "../call/failure.ts";
import { type BatchPlace, packedCalls, waitingJobs } from "./batch_jobs.ts";
import { Blobs } from "./blobs.ts";
import { readPackedResults } from "./call_packs.ts";
import { decodeResult } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
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

/** The time between two looks at the queue, in milliseconds. */
const LOOK_MS = 250;

/** The time between two looks for records that the server has left out, in milliseconds. */
const LOOK_UP_MS = 10_000;

/** The time in which the next result has to come, in milliseconds. */
const READ_MS = 1_000;

/**
 * Passes each result of a batch to `take`, the earlier ones first, until no call waits or runs.
 * Rejects with `unavailable` if the server knows nothing of the batch.
 */
export async function attachBatch(
  connection: NatsConnection,
  { pool, batch }: BatchPlace,
  { take, signal }: {
    take(id: string | number, result: CallResult): Promise<void>;
    signal: AbortSignal;
  },
): Promise<void> {
  const manager = await openStreams(connection, pool);
  const ledger = new Ledger(jetstream(connection), manager, "submit", new ServerWatch(connection));
  const blobs = new Blobs(connection);
  const filter = resultSubject(batch, ">");
  let next = 1;
  let nextLookUp = Date.now() + LOOK_UP_MS;
  /** The ids of the records that have a result. */
  const read = new Set<string>();
  // A call that was sent again by a second submitter can have two records. The first one counts.
  const taken = new Set<string>();
  const pass = async (token: string, result: CallResult) => {
    if (taken.has(token)) return;
    taken.add(token);
    await take(decodeId(token), result);
  };
  const passRecord = async (
    { subject, data }: Pick<StoredMsg, "subject" | "data">,
    headers: MsgHdrs | undefined,
  ) => {
    const token = resultId(subject);
    if (headers?.get(HEADERS.state) !== "done" || read.has(token)) return;
    read.add(token);
    if (isPackId(token)) {
      for (const { id, result } of readPackedResults(data) ?? []) await pass(id, result!);
      return;
    }
    const blob = headers.get(HEADERS.blob);
    await pass(token, decodeResult(blob ? await blobs.get(blob) : data));
  };
  const over = new Set<string>();
  /** Whether these calls in the queue have their results: a pack when each of its calls has one. */
  const areOver = async (jobs: readonly string[]) => {
    for (const subject of jobs) {
      if (over.has(subject)) continue;
      const { id } = readJobSubject(subject);
      if (isTaskJob(subject) || !read.has(id)) return false;
      const calls = isPackId(id) ? await packedCalls(manager, subject) : [];
      if (!calls.every((each) => taken.has(each))) return false;
      over.add(subject);
    }
    return true;
  };
  while (!signal.aborted) {
    const jobs = await waitingJobs(connection, { pool, batch });
    const { state } = await manager.streams.info(RESULTS_STREAM, { subjects_filter: filter });
    const records = Object.keys(state.subjects ?? {});
    if (jobs.length === 0 && records.length === 0 && taken.size === 0) throw unknownBatch(batch);
    const last = state.last_seq;
    let isRead = true;
    if (records.length > 0 && next <= last) {
      const consumer = await jetstream(connection).consumers.get(RESULTS_STREAM, {
        ...{ filter_subjects: filter, deliver_policy: DeliverPolicy.StartSequence },
        opt_start_seq: next,
      });
      isRead = (await consumer.info(true)).num_pending === 0;
      while (!isRead && !signal.aborted) {
        const message = await consumer.next({ expires: READ_MS });
        // A server that is lost or slow sends nothing. The rest is read by the next round.
        if (message === null) break;
        next = message.seq + 1;
        await passRecord(message, message.headers);
        isRead = message.info.pending === 0;
      }
    }
    if (isRead) {
      next = Math.max(next, last + 1);
      // The result of a call is written before the call leaves the queue. A server that was lost may
      // have left out records, and may keep calls in the queue that are over.
      if (await areOver(jobs) || Date.now() >= nextLookUp) {
        for (const subject of records.filter((each) => !read.has(resultId(each)))) {
          const record = await ledger.message(subject);
          if (record !== undefined) await passRecord(record, record.header);
        }
        nextLookUp = Date.now() + LOOK_UP_MS;
      }
      if (await areOver(jobs)) return;
    }
    await delay(LOOK_MS);
  }
}

function unknownBatch(batch: string): CallError {
  const own = batch.slice(batch.indexOf(".") + 1);
  const message = `The server has no call and no result of the batch ${own}; results are kept ` +
    "for 24 hours";
  return new CallError("unavailable", message, { batch: own });
}

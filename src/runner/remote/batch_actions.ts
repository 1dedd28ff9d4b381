/** Attaches to a durable batch, or cancels it. */

import {
  DeliverPolicy,
  jetstream,
  JetStreamApiError,
  type JetStreamManager,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import { CallError } from "../../base/errors.ts";
import { type CallResult, failureResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import { packedResult, readPack, readPackedResults } from "./call_packs.ts";
import { decodeResult, encodeJson } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import {
  CALLS_STREAM,
  cancelSubject,
  decodeId,
  HEADERS,
  isPackId,
  readJobSubject,
  RESULTS_STREAM,
  resultSubject,
} from "./subjects.ts";

/** The time between two looks at the queue, in milliseconds. */
const LOOK_MS = 250;

/** The time in which the next result has to come, in milliseconds. */
const READ_MS = 1_000;

/** A batch in a pool. The batch has the user in front of it, with a dot between. */
interface BatchPlace {
  pool: string;
  batch: string;
}

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
  const blobs = new Blobs(connection);
  const filter = resultSubject(batch, ">");
  let next = 1;
  // A call that was sent again by a second submitter can have two records. The first one counts.
  const taken = new Set<string>();
  const pass = async (token: string, result: CallResult) => {
    if (taken.has(token)) return;
    taken.add(token);
    await take(decodeId(token), result);
  };
  while (!signal.aborted) {
    const jobs = await waitingJobs(connection, { pool, batch });
    const { state } = await manager.streams.info(RESULTS_STREAM, { subjects_filter: filter });
    const records = Object.keys(state.subjects ?? {}).length;
    if (jobs.length === 0 && records === 0 && taken.size === 0) throw unknownBatch(batch);
    const last = state.last_seq;
    let isRead = true;
    if (records > 0 && next <= last) {
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
        if (message.headers?.get(HEADERS.state) === "done") {
          const token = message.subject.split(".").at(-1)!;
          const blob = message.headers.get(HEADERS.blob);
          if (isPackId(token)) {
            for (const { id, result } of readPackedResults(message.data) ?? []) {
              await pass(id, result!);
            }
          } else await pass(token, decodeResult(blob ? await blobs.get(blob) : message.data));
        }
        isRead = message.info.pending === 0;
      }
    }
    if (isRead) {
      next = Math.max(next, last + 1);
      // The result of a call is written before the call leaves the queue.
      if (jobs.length === 0) return;
    }
    await delay(LOOK_MS);
  }
}

/**
 * Cancels the calls of a batch that have no result. A call that waits never starts. A running call
 * is sent a cancellation. Returns the number of each kind.
 */
export async function cancelBatch(
  connection: NatsConnection,
  place: BatchPlace,
): Promise<{ cancelled: number; running: number }> {
  const manager = await openStreams(connection, place.pool);
  const ledger = new Ledger(jetstream(connection), manager, "submit", new ServerWatch(connection));
  const result = failureResult(
    new CallError("cancelled", "The batch was cancelled", {
      batch: place.batch.slice(place.batch.indexOf(".") + 1),
    }),
  );
  const counts = { cancelled: 0, running: 0 };
  const write = async (id: string, data: Uint8Array) => {
    const record = { state: "done", expected: 0, nonce: crypto.randomUUID(), data } as const;
    return await ledger.write(resultSubject(place.batch, id), record) !== undefined;
  };
  /** Cancels a call with a record of its own. Returns whether it never starts. */
  const cancel = async (id: string) => {
    const isWritten = await write(id, encodeJson(result));
    connection.publish(cancelSubject(place.batch, id));
    counts[isWritten ? "cancelled" : "running"]++;
    return isWritten;
  };
  for (const subject of await waitingJobs(connection, place)) {
    const { id } = readJobSubject(subject);
    if (!isPackId(id)) {
      if (await cancel(id)) await removeJob(manager, subject);
      continue;
    }
    const calls = await packedCalls(manager, subject);
    const text = JSON.stringify(result);
    if (
      await write(
        id,
        encodeText(`[${calls.map((call) => packedResult(call, text)).join(",")}]`),
      )
    ) {
      counts.cancelled += calls.length;
      await removeJob(manager, subject);
      continue;
    }
    // A worker has the pack. Its calls without a result are cancelled one by one.
    const record = await ledger.message(resultSubject(place.batch, id));
    const done = new Set(record && readPackedResults(record.data)?.map((each) => each.id));
    for (const call of calls) if (!done.has(call)) await cancel(call);
  }
  await connection.flush();
  return counts;
}

const encodeText = (text: string) => new TextEncoder().encode(text);

/** The ids of the calls in a pack that waits or runs. */
async function packedCalls(manager: JetStreamManager, subject: string): Promise<string[]> {
  const job = await manager.streams.getMessage(CALLS_STREAM, { last_by_subj: subject });
  return job === null ? [] : (readPack(job.data) ?? []).map(({ id }) => id);
}

/**
 * Removes a waiting call. A purge by its subject would make a server 2.9 skip calls that came later.
 */
async function removeJob(manager: JetStreamManager, subject: string): Promise<void> {
  try {
    const job = await manager.streams.getMessage(CALLS_STREAM, { last_by_subj: subject });
    if (job !== null) await manager.streams.deleteMessage(CALLS_STREAM, job.seq, false);
  } catch (error) {
    // A worker has taken it in the meantime, and finds its result.
    if (!(error instanceof JetStreamApiError)) throw error;
  }
}

/** The subjects of the calls and background tasks of a batch that wait or run. */
async function waitingJobs(
  connection: NatsConnection,
  { pool, batch }: BatchPlace,
): Promise<string[]> {
  const manager = await openStreams(connection, pool);
  const { state } = await manager.streams.info(CALLS_STREAM, {
    subjects_filter: `toolcall.job.*.${pool}.${batch}.>`,
  });
  return Object.keys(state.subjects ?? {});
}

function unknownBatch(batch: string): CallError {
  const own = batch.slice(batch.indexOf(".") + 1);
  const message = `The server has no call and no result of the batch ${own}; results are kept ` +
    "for 24 hours";
  return new CallError("unavailable", message, { batch: own });
}

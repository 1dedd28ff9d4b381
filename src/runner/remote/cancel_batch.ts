/** Cancels a durable batch. */

import { jetstream, JetStreamApiError, type JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { failureResult } from "../call/failure.ts";
import { type BatchPlace, packedCalls, waitingJobs } from "./batch_jobs.ts";
import { packedResult, readPackedResults } from "./call_packs.ts";
import { encodeJson } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import { withNatsFailures } from "./nats_failures.ts";
import { ServerWatch } from "./server_watch.ts";
import { openStreams } from "./streams.ts";
import {
  CALLS_STREAM,
  cancelSubject,
  isPackId,
  readJobSubject,
  resultSubject,
} from "./subjects.ts";

/**
 * Cancels the calls of a batch that have no result. A call that waits never starts. A running call
 * is sent a cancellation. Returns the number of each kind.
 */
export async function cancelBatch(
  connection: NatsConnection,
  place: BatchPlace,
): Promise<{ cancelled: number; running: number }> {
  return await withNatsFailures(() => cancel(connection, place));
}

async function cancel(
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
  const cancelOne = async (id: string) => {
    const isWritten = await write(id, encodeJson(result));
    connection.publish(cancelSubject(place.batch, id));
    counts[isWritten ? "cancelled" : "running"]++;
    return isWritten;
  };
  for (const subject of await waitingJobs(connection, place)) {
    const { id } = readJobSubject(subject);
    if (!isPackId(id)) {
      if (await cancelOne(id)) await removeJob(manager, subject);
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
    for (const call of calls) if (!done.has(call)) await cancelOne(call);
  }
  await connection.flush();
  return counts;
}

const encodeText = (text: string) => new TextEncoder().encode(text);

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

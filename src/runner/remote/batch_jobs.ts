/** The calls of a durable batch in the queue. */

import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { readPack } from "./call_packs.ts";
import { openStreams } from "./streams.ts";
import { CALLS_STREAM } from "./subjects.ts";

/** Where the calls of a batch are. */
export interface BatchPlace {
  /** The pool that runs the batch. */
  pool: string;
  /** The batch, with the user in front of it and a dot between. */
  batch: string;
}

/** The subjects of the calls and background tasks of a batch that wait or run. */
export async function waitingJobs(
  connection: NatsConnection,
  { pool, batch }: BatchPlace,
): Promise<string[]> {
  const manager = await openStreams(connection, pool);
  const { state } = await manager.streams.info(CALLS_STREAM, {
    subjects_filter: `toolcall.job.*.${pool}.${batch}.>`,
  });
  return Object.keys(state.subjects ?? {});
}

/** The ids of the calls in a pack that waits or runs. */
export async function packedCalls(manager: JetStreamManager, subject: string): Promise<string[]> {
  const job = await manager.streams.getMessage(CALLS_STREAM, { last_by_subj: subject });
  return job === null ? [] : (readPack(job.data) ?? []).map(({ id }) => id);
}

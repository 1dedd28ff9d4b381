/** The streams of durable calls: making them, and finding out that they or the workers are missing. */

import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
} from "@nats-io/jetstream";
import { nanos, type NatsConnection } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { reasonOf } from "./connection.ts";
import type { RemoteOptions } from "./core_failures.ts";
import { throughElection } from "./elections.ts";
import { isPermissionError, natsFailure } from "./nats_failures.ts";
import {
  BLOBS,
  CALLS_STREAM,
  consumerName,
  DEAD_STREAM,
  RESULTS_STREAM,
  taskConsumerName,
} from "./subjects.ts";
import { proofHeaders } from "./user_proof.ts";

/** The time that results are kept, in milliseconds. A repeated id is recognised for so long. */
export const RESULT_AGE_MS = 24 * 3_600_000;

/** The time that calls which were given up are kept, in milliseconds. */
const DEAD_AGE_MS = 7 * RESULT_AGE_MS;

/** The most deliveries of a call that wait for their end, for all workers of a pool. */
const MAX_PENDING = 50_000;

/** The most requests of workers that wait for calls. */
const MAX_WAITING = 16_384;

/** The time in which a worker has to answer that it is there, in milliseconds. */
const PING_MS = 2_000;

/** The time in which a worker has to connect to another server of a cluster, in milliseconds. */
const WORKER_MS = 5_000;

/** How the streams are made. */
export interface StreamOptions {
  /** The number of servers that keep each message. */
  replicas: number;
  /** The pools of workers. */
  pools: readonly string[];
  /** The time after which a silent worker counts as lost, in milliseconds. */
  leaseMs: number;
}

/** Makes the streams, or updates them. Rejects with `unavailable`. */
export async function makeStreams(connection: NatsConnection, options: StreamOptions) {
  const { replicas, pools, leaseMs } = options;
  try {
    const manager = await jetstreamManager(connection);
    const shared = { num_replicas: replicas };
    await upsert(manager, {
      ...{ ...shared, name: CALLS_STREAM, subjects: ["toolcall.job.0.>", "toolcall.job.tasks.>"] },
      ...{ retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New },
    });
    await upsert(manager, {
      ...{ ...shared, name: RESULTS_STREAM, subjects: ["toolcall.result.0.>"] },
      ...{ max_msgs_per_subject: 1, max_age: nanos(RESULT_AGE_MS) },
      // The server can then decide by subject who reads which record.
      allow_direct: true,
    });
    await upsert(manager, {
      ...{ ...shared, name: DEAD_STREAM, subjects: ["toolcall.dead.>"] },
      max_age: nanos(DEAD_AGE_MS),
    });
    const consumers = pools.flatMap((pool) => [
      { durable_name: consumerName(pool), filter_subject: `toolcall.job.0.${pool}.>` },
      { durable_name: taskConsumerName(pool), filter_subject: `toolcall.job.tasks.${pool}.>` },
    ]);
    for (const each of consumers) {
      const consumer = {
        ...{ ...each, ack_policy: AckPolicy.Explicit, ack_wait: nanos(leaseMs) },
        ...{ max_ack_pending: MAX_PENDING, max_waiting: MAX_WAITING },
      };
      const run = () => manager.consumers.add(CALLS_STREAM, consumer);
      await throughElection(connection, { run });
    }
    const { Objm } = await import("@nats-io/obj");
    await new Objm(connection).create(BLOBS, { ttl: nanos(RESULT_AGE_MS), replicas });
  } catch (error) {
    throw new CallError("unavailable", `Cannot make the streams: ${reasonOf(error)}`);
  }
}

type Config = Parameters<JetStreamManager["streams"]["add"]>[0];

async function upsert(manager: JetStreamManager, config: Config): Promise<void> {
  try {
    await manager.streams.add(config);
  } catch (error) {
    if (!/already in use/.test((error as Error).message)) throw error;
    // Neither the retention nor the name of a stream can change.
    const { retention: _, name, ...rest } = config;
    await manager.streams.update(name, rest);
  }
}

/** Returns the manager. Rejects with `unavailable` if the streams or the pool are missing. */
export async function openStreams(
  connection: NatsConnection,
  pool: string,
): Promise<JetStreamManager> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await manager.consumers.info(CALLS_STREAM, consumerName(pool));
    return manager;
  } catch (error) {
    if (isPermissionError(error)) throw natsFailure(error);
    const isMissing = /not found|no responders|not enabled/i.test(reasonOf(error));
    const advice = isMissing || connection.info?.cluster === undefined
      ? `run "toolcall worker init --nats=URL --pool=${pool}" once`
      : "check that most servers of the cluster run";
    const why = `Cannot use durable calls: ${reasonOf(error)}; ${advice}`;
    throw new CallError("unavailable", why, { pool });
  }
}

/** Rejects with `unavailable` if no worker of the pool answers. */
export async function requireWorker(
  connection: NatsConnection,
  { pool, userKey }: Pick<RemoteOptions, "pool" | "userKey">,
): Promise<void> {
  const headers = proofHeaders(userKey);
  try {
    const options = { timeout: PING_MS, ...(headers && { headers }) };
    // A worker whose server was killed connects to another one during the election.
    await throughElection(connection, {
      mostMs: WORKER_MS,
      run: () => connection.request(`toolcall.ping.${pool}`, "", options),
    });
  } catch {
    const message = `No worker of the pool ${quote(pool)} takes durable calls; start one with ` +
      '"toolcall worker --nats=URL --durable"';
    throw new CallError("unavailable", message, { pool });
  }
}

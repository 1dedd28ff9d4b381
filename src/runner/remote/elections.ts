/**
 * Waits for elections. When the leader of a stream is lost, the other servers of a cluster choose a new
 * one, which takes some seconds. Until then they leave requests without an answer, or refuse them.
 */

import { JetStreamApiError } from "@nats-io/jetstream";
import { errors, type Msg, type NatsConnection, RequestError } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";

/** The time in which a cluster has to choose a leader, in milliseconds. */
export const ELECTION_MS = 30_000;

/** The pause between two tries, in milliseconds. */
const RETRY_MS = 250;

/** The longest answer that can be a refusal, in bytes. Longer ones are not parsed twice. */
const MAX_REFUSAL_BYTES = 1_000;

/** The errors of servers without a leader: no system, no leader, and an offline stream or consumer. */
const NO_LEADER: readonly unknown[] = [10008, 10009, 10118, 10119];

/**
 * Makes each request to JetStream wait for an election, at most {@link ELECTION_MS}. A request that creates
 * a consumer does not: if the cluster gives the new consumer to the lost server, that consumer never
 * answers. Who creates one tries again with {@link throughElection}, which makes another consumer.
 */
export function waitForElections(connection: NatsConnection): void {
  const request = connection.request.bind(connection);
  connection.request = async (subject, payload, options) => {
    if (!subject.startsWith("$JS.API.") || subject.startsWith("$JS.API.CONSUMER.CREATE.")) {
      return await request(subject, payload, options);
    }
    for (const end = performance.now() + ELECTION_MS;; await delay(RETRY_MS)) {
      const isLast = performance.now() >= end;
      try {
        const answer = await request(subject, payload, { timeout: 1_000, ...options });
        if (isLast || !isWithoutLeader(answer)) return answer;
      } catch (error) {
        if (isLast || !mayBeElection(error, connection)) throw error;
      }
    }
  };
}

/** Whether an answer says that the servers have no leader. */
function isWithoutLeader({ data }: Msg): boolean {
  if (data.length > MAX_REFUSAL_BYTES) return false;
  try {
    return NO_LEADER.includes(JSON.parse(new TextDecoder().decode(data)).error?.err_code);
  } catch {
    return false;
  }
}

/**
 * Returns the result of `run`, which is tried again while the servers of a cluster choose a leader for at
 * most `mostMs`. {@link waitForElections} does that for single requests to JetStream.
 */
export async function throughElection<T>(
  connection: NatsConnection,
  { mostMs = ELECTION_MS, run }: { mostMs?: number; run: () => Promise<T> },
): Promise<T> {
  for (const end = performance.now() + mostMs;; await delay(RETRY_MS)) {
    try {
      return await run();
    } catch (error) {
      if (performance.now() >= end || !mayBeElection(error, connection)) throw error;
    }
  }
}

/** Whether a failed request may succeed after an election. Only a cluster of servers has elections. */
function mayBeElection(error: unknown, { info }: NatsConnection): boolean {
  if (info?.cluster === undefined) return false;
  if (error instanceof JetStreamApiError) return NO_LEADER.includes(error.code);
  return error instanceof errors.TimeoutError ||
    error instanceof RequestError && error.isNoResponders();
}

/** Asks the workers of a pool for their numbers, by the services protocol. */

import type { MsgHdrs, NatsConnection } from "@nats-io/nats-core";
import { connectTo, keyOf, type NatsAddress } from "./connection.ts";
import { withNatsFailures } from "./nats_failures.ts";
import { serverHosts } from "./server_hosts.ts";
import { SERVICE_NAME } from "./service.ts";
import { proofHeaders } from "./user_proof.ts";

/** The time that workers have to answer, in milliseconds. */
const ANSWER_MS = 400;

/** A worker as it describes itself. */
export interface ListedWorker {
  /** Its name. */
  id: string;
  /** Its pool. */
  pool: string;
  /** Its version. */
  version: string;
  /** The time when it started, in ISO 8601. */
  started: string;
  /** The number of calls that run at the same time. */
  jobs: number;
  /** The number of calls that run or wait. */
  running: number;
  /** The tools that were called. */
  tools: { name: string; calls: number; errors: number; ms: number; lastError: string }[];
}

/** The part of an answer to STATS that is read here. */
interface StatsAnswer {
  id: string;
  version: string;
  started: string;
  metadata?: { pool?: string; jobs?: string };
  data?: { running?: number };
  endpoints?: {
    name: string;
    num_requests: number;
    num_errors: number;
    last_error: string;
    processing_time: number;
  }[];
}

/** Lists the workers of a pool that answer in time. `headers` prove who asks. */
export async function listWorkers(
  connection: NatsConnection,
  { pool, headers }: { pool: string; headers: MsgHdrs | undefined },
): Promise<ListedWorker[]> {
  const found: ListedWorker[] = [];
  const answers = await connection.requestMany(`$SRV.STATS.${SERVICE_NAME}`, "", {
    ...{ strategy: "timer", maxWait: ANSWER_MS, jitter: 0, ...(headers && { headers }) },
  });
  for await (const answer of answers) {
    const { id, version, started, metadata, data, endpoints = [] } = answer.json<StatsAnswer>();
    if (metadata?.pool !== pool) continue;
    found.push({
      ...{ id, pool, version, started },
      ...{ jobs: Number(metadata.jobs ?? 0), running: data?.running ?? 0 },
      tools: endpoints.filter(({ num_requests }) => num_requests > 0).map((each) => ({
        ...{ name: each.name, calls: each.num_requests, errors: each.num_errors },
        ...{ ms: each.processing_time / 1e6, lastError: each.last_error },
      })),
    });
  }
  return found.sort((a, b) => a.id < b.id ? -1 : 1);
}

/** The workers of a pool, the hosts of the servers, and how to end the connection. */
export interface WorkerList {
  /** The hosts of the NATS servers, as `HOST:PORT`. */
  hosts: string[];
  /** Asks the workers of the pool. */
  list(): Promise<{ pool: string; workers: ListedWorker[] }>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** Connects to NATS, to list the workers of a pool. Rejects with `unavailable`. */
export async function openWorkerList(address: NatsAddress, pool: string): Promise<WorkerList> {
  const headers = proofHeaders(keyOf(address));
  const connection = await connectTo(address, "toolcall ui");
  return {
    hosts: await serverHosts(connection, address),
    list: async () => ({
      pool,
      workers: await withNatsFailures(() => listWorkers(connection, { pool, headers })),
    }),
    close: () => connection.close(),
  };
}

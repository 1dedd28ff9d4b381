/** The services protocol of NATS, so that `nats service ls`, `info` and `stats` show workers. */

import type { Msg, Subscription } from "@nats-io/nats-core";
import type { CallTally } from "./call_tally.ts";
import type { Replies } from "./replies.ts";
import { callSubject, QUEUE } from "./subjects.ts";

/** The name of the service. */
export const SERVICE_NAME = "toolcall";

/** Announces a worker as a service. Returns how to end that. */
export function announceService(
  replies: Replies,
  { worker, pool, version, tools, tally, jobs, running }: {
    worker: string;
    pool: string;
    version: string;
    tools: readonly string[];
    tally: CallTally;
    jobs: number;
    running: () => number;
  },
): { stop(): void } {
  const identity = {
    name: SERVICE_NAME,
    id: worker,
    version,
    metadata: { pool, jobs: String(jobs) },
  };
  const endpoint = (tool: string) => ({
    ...{ name: tool.replaceAll(".", "_"), subject: callSubject(pool, tool), queue_group: QUEUE },
  });
  const answers: Readonly<Record<string, () => object>> = {
    PING: () => ({ type: "io.nats.micro.v1.ping_response", ...identity }),
    INFO: () => ({
      ...{ type: "io.nats.micro.v1.info_response", ...identity },
      description: "Runs tool calls of language models in a sandbox",
      endpoints: tools.map((tool) => ({ ...endpoint(tool), metadata: {} })),
    }),
    STATS: () => ({
      ...{ type: "io.nats.micro.v1.stats_response", ...identity },
      ...{ started: tally.started.toISOString(), data: { running: running() } },
      endpoints: tools.map((tool) => {
        const { calls = 0, errors = 0, ms = 0, lastError = "" } = tally.tools.get(tool) ?? {};
        return {
          ...{ ...endpoint(tool), num_requests: calls, num_errors: errors, last_error: lastError },
          ...{
            processing_time: Math.round(ms * 1e6),
            average_processing_time: calls === 0 ? 0 : Math.round(ms * 1e6 / calls),
          },
        };
      }),
    }),
  };
  const subscriptions: Subscription[] = [];
  for (const [verb, answer] of Object.entries(answers)) {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) replies.open(message)?.send(JSON.stringify(answer()));
    };
    for (const end of ["", `.${SERVICE_NAME}`, `.${SERVICE_NAME}.${worker}`]) {
      subscriptions.push(replies.connection.subscribe(`$SRV.${verb}${end}`, { callback }));
    }
  }
  return { stop: () => subscriptions.forEach((each) => each.unsubscribe()) };
}

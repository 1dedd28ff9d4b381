import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JsMsg,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import type { ServerWatch } from "./server_watch.ts";
import { RESULTS_STREAM, resultSubject } from "./subjects.ts";

/** How results are read. A lost server is noticed after two missed signs of life, one a second. */
const FOLLOW = { max_messages: 1_000, expires: 2_000 };

/**
 * Reads the results of a batch from the sequence `next` on as they come, also after the server was
 * lost. Ends when `signal` is aborted or the connection is closed.
 */
export async function followResults(
  connection: NatsConnection,
  { client, watch, batch, next, signal, take }: {
    client: JetStreamClient;
    watch: ServerWatch;
    batch: string;
    next: number;
    signal: AbortSignal;
    take(message: JsMsg): void;
  },
): Promise<void> {
  while (!signal.aborted && !connection.isClosed()) {
    try {
      const opened = openResults(client, resultSubject(batch, ">"), next);
      const consumer = await watch.untilLost(opened);
      const messages = await watch.untilLost(consumer.consume(FOLLOW));
      // A server that was killed does not know the consumer any more.
      watch.nextBack().then(() => messages.close());
      closeWhenSilent(messages);
      for await (const message of messages) {
        next = message.seq + 1;
        take(message);
        if (signal.aborted) return;
      }
    } catch {
      await watch.untilBack();
    }
  }
}

/** Opens the results with these subjects, from the sequence `next` on. */
export function openResults(
  client: JetStreamClient,
  subjects: string,
  next: number,
): Promise<Consumer> {
  return client.consumers.get(RESULTS_STREAM, {
    filter_subjects: subjects,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: next,
  });
}

/**
 * Ends the reading when the server with the consumer is silent. The client would wait until that server
 * is back, although another one has the results too.
 */
async function closeWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) {
    if (type === "heartbeats_missed") messages.close();
  }
}

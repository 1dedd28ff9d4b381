/** Puts a call into the queue of a pool. */

import type { JetStreamClient } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { isPermissionError } from "./nats_failures.ts";
import type { ServerWatch } from "./server_watch.ts";

/** The time that one try may take, in milliseconds. */
const TRY_MS = 2_000;

/**
 * Puts a message into the queue. It tries again until the server has it. Rejects with `cancelled` after
 * `signal` is aborted, and with `permission_denied` if the server does not let this user do it.
 */
export async function publishJob(
  { client, watch }: { client: JetStreamClient; watch: ServerWatch },
  subject: string,
  { data, headers, msgID, signal }: {
    data: Uint8Array;
    headers: MsgHdrs | undefined;
    /** The id by which the server recognises a repeated message. */
    msgID?: string;
    signal: AbortSignal;
  },
): Promise<void> {
  const options = {
    ...{ timeout: TRY_MS, retries: 0 },
    ...(headers && { headers }),
    ...(msgID !== undefined && { msgID }),
  };
  do {
    try {
      await watch.untilLost(client.publish(subject, data, options));
      return;
    } catch (error) {
      if (isPermissionError(error)) {
        const { message } = error as Error;
        throw new CallError("permission_denied", `The NATS server refuses the call: ${message}`);
      }
      await watch.untilBack();
    }
  } while (!signal.aborted);
  throw new CallError("cancelled", "Stopped before the NATS server had the call");
}

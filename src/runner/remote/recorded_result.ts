/**
 * Reads the result of a call from its record in the ledger. Everybody who may write to the stream can
 * write anything there. So a record that no worker can have written is a failure, and nothing waits for
 * another one.
 */

import type { StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import type { Blobs } from "./blobs.ts";
import { readPackedResults } from "./call_packs.ts";
import { decodeResult } from "./envelope.ts";
import { HEADERS, resultBlob, resultKey } from "./subjects.ts";

/** Whether a record with these headers says that its call was begun and has no result yet. */
export function isRunning(headers: MsgHdrs | undefined): boolean {
  return headers?.get(HEADERS.state) === "running";
}

/** Returns the result in a record that is not {@link isRunning}. Never rejects. */
export async function recordedResult(
  { subject, data, header }: Pick<StoredMsg, "subject" | "data"> & { header: MsgHdrs | undefined },
  blobs: Blobs,
): Promise<CallResult> {
  if (header?.get(HEADERS.state) !== "done") return unreadable(subject, "it has no known state");
  const blob = header.get(HEADERS.blob);
  if (!blob) return decodeResult(data);
  if (blob !== resultBlob(resultKey(subject), header.get(HEADERS.nonce))) {
    return unreadable(subject, "its object does not belong to the call");
  }
  try {
    return decodeResult(await blobs.get(blob));
  } catch (error) {
    return failureResult(failureOf(error));
  }
}

/**
 * Returns the results in the record of a pack, by the ids of their calls. Returns `undefined` for a record
 * that is no list of results.
 */
export function recordedPack(data: Uint8Array): [id: string, result: CallResult][] | undefined {
  // Results that are too large for a record have records of their own, and no object is named here.
  return readPackedResults(data)?.map(({ id, result }) => [
    id,
    result ?? decodeResult(new Uint8Array()),
  ]);
}

/** The failure of a call whose worker was lost, or which was begun by nobody that the queue knows. */
export function interrupted(worker: string, tool?: string): CallError {
  const what = tool === undefined ? "the call" : quote(tool);
  const message = `The worker ${worker} was lost while it ran ${what}; whether the call ` +
    "took effect is not known. Check it before you repeat the call";
  return new CallError("interrupted", message, { ...(tool !== undefined && { tool }), worker });
}

function unreadable(subject: string, why: string): CallResult {
  const message = `Cannot read the result ${quote(subject, 200)}: ${why}, so no worker wrote it; ` +
    "whether the call ran is not known. Use another batch to repeat it";
  return failureResult(new CallError("unavailable", message));
}

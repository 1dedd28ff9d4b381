/**
 * Answers durable packs: several short calls of one tool in one message, with one record for the results
 * of those that are over at once.
 *
 * The record of a pack is written once, before any other call of the pack starts. So a worker, the one
 * after it, and the caller who cancels the batch agree on which results are in it. Every other call of
 * the pack has a record of its own. A pack that a worker was lost with is not answered as a whole again:
 * the next worker runs its calls one after the other, so a call that ends workers stops no other.
 */

import type { JsMsg } from "@nats-io/jetstream";
import { type CallPack, packedResult, readPack, readPackedResults } from "./call_packs.ts";
import { type DurableCall, type DurableCalls, MAX_DELIVERIES } from "./durable_calls.ts";
import { type CallHeaders, readRequestHeaders } from "./envelope.ts";
import { quickHeaders } from "./reply_headers.ts";
import { deadSubject, readJobSubject, resultSubject } from "./subjects.ts";

/** A packed call, and its result if it was over at once. */
type PackedCall = CallPack[number] & Pick<DurableCall, "result">;

/** Answers every call of a pack. Returns whether the queue may forget the pack. */
export async function answerPack(calls: DurableCalls, message: JsMsg): Promise<boolean> {
  const { ledger } = calls;
  const { pool, batch, id: pack, tool } = readJobSubject(message.subject);
  const { data, headers, info: { deliveryCount: deliveries } } = message;
  const packed = readPack(data);
  if (packed === undefined) {
    // Nobody knows the ids of its calls.
    await calls.bury(deadSubject(pool, batch, pack), { data, headers, name: `${batch}.${pack}` });
    return true;
  }
  const answer = (call: PackedCall, count: number) =>
    calls.answer({
      ...{
        pool,
        batch,
        tool,
        headers,
        deliveries: count,
        delivery: deliveries,
        time: message.time,
        id: call.id,
        result: call.result,
      },
      data: new TextEncoder().encode(JSON.stringify(call.args)),
      read: () => call.args,
    });
  const subject = resultSubject(batch, pack);
  const isFirst = deliveries === 1;
  const { text, rest } = isFirst
    ? runAtOnce(calls, { tool, packed, headers })
    : { text: "[]", rest: packed };
  const stored = await ledger.write(subject, {
    ...{ state: "done", expected: 0, nonce: crypto.randomUUID() },
    ...{ data: new TextEncoder().encode(text), more: quickHeaders(calls.context.worker) },
  });
  if (stored !== undefined && isFirst) {
    await Promise.all(rest.map((call) => answer(call, 1)));
    return true;
  }
  const known = stored === undefined ? await ledger.message(subject) : undefined;
  const done = new Set(known && readPackedResults(known.data)?.map(({ id }) => id));
  const left = packed.filter(({ id }) => !done.has(id));
  // The next worker has the pack already. It says when the queue may forget it.
  if (isFirst) return left.length === 0;
  const lost = await deliveriesOfNext(calls, { batch, left, deliveries });
  let isGivenUp = false;
  for (const call of left) {
    // Only the first call without a result can be the one that ended the workers.
    const outcome = await answer(call, isGivenUp ? 2 : lost);
    isGivenUp ||= outcome === "given_up";
  }
  return true;
}

/**
 * How often workers got the first call without a record. A worker that answered an earlier call was not
 * lost with the calls before that. So the deliveries count from the last one with an answer.
 */
async function deliveriesOfNext(
  { ledger }: DurableCalls,
  { batch, left, deliveries }: { batch: string; left: readonly PackedCall[]; deliveries: number },
): Promise<number> {
  if (deliveries <= MAX_DELIVERIES) return deliveries;
  let last = 1;
  for (const { id } of left) {
    const record = await ledger.read(resultSubject(batch, id));
    if (record === undefined) break;
    last = Math.max(last, record.delivery);
  }
  return Math.max(2, deliveries - last + 1);
}

/** Runs the calls that are over at once. Returns their results, as far as they fit into a message. */
function runAtOnce(
  { context, blobs }: DurableCalls,
  { tool, packed, headers }: Pick<DurableCall, "tool" | "headers"> & { packed: CallPack },
): { text: string; rest: PackedCall[] } {
  let own: CallHeaders;
  try {
    own = readRequestHeaders(headers);
  } catch {
    // Each call fails with the reason.
    return { text: "[]", rest: packed };
  }
  const texts: string[] = [];
  const rest: PackedCall[] = [];
  let length = 2;
  for (const call of packed) {
    const result = context.calls.executeAtOnce({ name: tool, arguments: call.args }, own);
    const text = result === undefined ? "" : packedResult(call.id, JSON.stringify(result));
    // A character has at most three bytes.
    if (result === undefined || (length + text.length + 1) * 3 > blobs.threshold) {
      rest.push({ ...call, result });
      continue;
    }
    texts.push(text);
    length += text.length + 1;
  }
  return { text: `[${texts.join(",")}]`, rest };
}

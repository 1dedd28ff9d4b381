/** Asks for results that a server should have sent. A server that was lost may have left some out. */

import type { StoredMsg } from "@nats-io/jetstream";
import { delay } from "@std/async/delay";
import type { Ledger } from "./ledger.ts";
import { CALLS_STREAM } from "./subjects.ts";

/** The time after which a record is looked up, and the longest pause between two looks, in ms. */
const [FIRST_MS, MAX_MS] = [10_000, 300_000];

/** The records that are looked up at the same time. */
const MAX_LOOKS = 32;

/** When a record is looked up next, and the pause before that. */
interface Due {
  at: number;
  pause: number;
}

/**
 * Looks up the records of calls that wait for long: after ten seconds, and after pauses that double up
 * to five minutes. `waiting` gives the ids of the records, and `look` never rejects. Ends when `signal`
 * is aborted.
 */
export async function lookForOverdue(
  waiting: () => Iterable<string>,
  { look, signal }: { look(id: string): Promise<void>; signal: AbortSignal },
): Promise<void> {
  let known = new Map<string, Due>();
  for (;;) {
    try {
      await delay(FIRST_MS, { signal });
    } catch {
      return;
    }
    const now = Date.now();
    const next = new Map<string, Due>();
    for (const id of waiting()) next.set(id, known.get(id) ?? { at: now, pause: FIRST_MS });
    const overdue = [...next].filter(([id, { at }]) => known.has(id) && at <= now);
    known = next;
    for (const [, due] of overdue) {
      due.at = now + due.pause;
      due.pause = Math.min(due.pause * 2, MAX_MS);
    }
    for (let first = 0; first < overdue.length && !signal.aborted; first += MAX_LOOKS) {
      await Promise.all(overdue.slice(first, first + MAX_LOOKS).map(([id]) => look(id)));
    }
  }
}

/**
 * Whether nobody will write the result of a call that was begun, because the message `job` has left the
 * queue. A worker writes the result before that. `record` says that the call was begun.
 */
export async function isAbandoned(
  ledger: Ledger,
  { record, job }: { record: StoredMsg; job: string },
): Promise<boolean> {
  const found = ledger.manager.streams.getMessage(CALLS_STREAM, { last_by_subj: job });
  if (await ledger.watch.untilLost(found) !== null) return false;
  const now = await ledger.message(record.subject);
  return now?.seq === record.seq;
}

/** The results of a batch that were there before its submitter asked for them. */

import type { CallResult } from "../call/failure.ts";
import type { Blobs } from "./blobs.ts";
import { readPackedResults } from "./call_packs.ts";
import type { Ledger } from "./ledger.ts";
import { isRunning, recordedPack, recordedResult } from "./recorded_result.ts";
import { isPackId, resultId } from "./subjects.ts";

/** The packs that are read at the same time. */
const MAX_READS = 32;

/** The place of each result: the subject of its record. */
export class EarlierResults {
  readonly #subjects = new Map<string, string>();
  /** The pack that was read last. The calls of a pack usually come one after the other. */
  #pack: { subject: string; results: ReadonlyMap<string, CallResult> } | undefined;

  /** Takes the ledger with the records, and the objects with large results. */
  constructor(readonly ledger: Ledger, readonly blobs: Blobs) {}

  /** Notes the calls with these records. */
  async addAll(subjects: readonly string[]): Promise<void> {
    const packs = subjects.filter((subject) => {
      const token = resultId(subject);
      if (isPackId(token)) return true;
      this.#subjects.set(token, subject);
      return false;
    });
    for (let at = 0; at < packs.length; at += MAX_READS) {
      await Promise.all(
        packs.slice(at, at + MAX_READS).map(async (subject) => {
          const message = await this.ledger.message(subject);
          for (const { id } of message && readPackedResults(message.data) || []) {
            this.add(id, subject);
          }
        }),
      );
    }
  }

  /** Notes a call with its record. An earlier record stands. */
  add(token: string, subject: string): void {
    if (!this.#subjects.has(token)) this.#subjects.set(token, subject);
  }

  /** Whether the call with this id has a record. */
  has(token: string): boolean {
    return this.#subjects.has(token);
  }

  /** Returns the result of a call. Undefined for one that has no record, or a record that it runs. */
  async find(token: string): Promise<CallResult | undefined> {
    const subject = this.#subjects.get(token);
    if (subject === undefined) return undefined;
    if (this.#pack?.subject === subject) return this.#pack.results.get(token);
    const message = await this.ledger.message(subject);
    if (message === undefined || isRunning(message.header)) return undefined;
    if (!isPackId(resultId(subject))) return await recordedResult(message, this.blobs);
    const results = new Map(recordedPack(message.data));
    this.#pack = { subject, results };
    return results.get(token);
  }
}

/** The results of a batch that were there before its submitter asked for them. */

import type { StoredMsg } from "@nats-io/jetstream";
import { type PackedResult, readPackedResults } from "./call_packs.ts";
import type { Ledger } from "./ledger.ts";
import { HEADERS, isPackId, resultId } from "./subjects.ts";

/** The packs that are read at the same time. */
const MAX_READS = 32;

/** The place of each result: the subject of its record. */
export class EarlierResults {
  readonly #subjects = new Map<string, string>();
  /** The pack that was read last. The calls of a pack usually come one after the other. */
  #pack: { subject: string; results: ReadonlyMap<string, PackedResult> } | undefined;

  /** Takes the ledger with the records. */
  constructor(readonly ledger: Ledger) {}

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

  /** Returns the result of a call, its message if it has its own, or `undefined` without a result. */
  async find(token: string): Promise<PackedResult | { message: StoredMsg } | undefined> {
    const subject = this.#subjects.get(token);
    if (subject === undefined) return undefined;
    if (this.#pack?.subject === subject) return this.#pack.results.get(token);
    const message = await this.ledger.message(subject);
    if (message === undefined || message.header.get(HEADERS.state) !== "done") return undefined;
    if (!isPackId(resultId(subject))) return { message };
    const packed = readPackedResults(message.data) ?? [];
    const results = new Map(packed.map((each) => [each.id, each]));
    this.#pack = { subject, results };
    return results.get(token);
  }
}

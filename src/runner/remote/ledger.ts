/**
 * The ledger of durable calls. The last message on the subject of a result is the record of the call:
 * it was begun by a worker, or it has a result. Every write names the record that it replaces, so of
 * two writers one is refused.
 */

import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type StoredMsg,
} from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { natsFailure } from "./nats_failures.ts";
import type { ServerWatch } from "./server_watch.ts";
import { HEADERS, RESULTS_STREAM } from "./subjects.ts";

/** The error of the server for a write that names another record than the last. */
const WRONG_LAST_SEQUENCE = 10071;

/** The time that one try may take, in milliseconds. */
const TRY_MS = 2_000;

/** The record of a call. */
export interface LedgerRecord {
  /** Its place in the stream. */
  sequence: number;
  /** Whether the call was begun, or has a result. */
  state: "running" | "done";
  /** The random text of its writer. */
  nonce: string;
  /** The worker that wrote it. */
  worker: string;
  /** The number of the delivery in which it was written, 1 for the first. */
  delivery: number;
}

/** Reads and writes records. Waits for the server as long as it takes. */
export class Ledger {
  /**
   * Takes the clients, the name of this writer, and what notices that the server was lost. With
   * `isDirect`, it reads by requests that name the subject, so the server can decide who reads what.
   */
  constructor(
    readonly client: JetStreamClient,
    readonly manager: JetStreamManager,
    readonly writer: string,
    readonly watch: ServerWatch,
    readonly isDirect = false,
  ) {}

  /**
   * Writes a record after the one with the sequence `expected`, 0 for none, or after an earlier record
   * with the same `nonce`. Returns its sequence, or `undefined` if another writer's record is there.
   */
  async write(
    subject: string,
    { state, expected, nonce, delivery = 1, data = new Uint8Array(), more = headers() }: {
      state: LedgerRecord["state"];
      expected: number;
      nonce: string;
      delivery?: number;
      data?: Uint8Array;
      more?: MsgHdrs;
    },
  ): Promise<number | undefined> {
    more.set(HEADERS.state, state);
    more.set(HEADERS.nonce, nonce);
    more.set(HEADERS.worker, this.writer);
    if (delivery > 1) more.set(HEADERS.delivery, String(delivery));
    let last = expected;
    for (;;) {
      try {
        const expect = { lastSubjectSequence: last };
        const options = { expect, headers: more, timeout: TRY_MS, retries: 0 };
        return (await this.watch.untilLost(this.client.publish(subject, data, options))).seq;
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.code !== WRONG_LAST_SEQUENCE) {
          if (isFinal(error)) throw natsFailure(error);
          await this.watch.untilBack();
          continue;
        }
        const record = await this.read(subject);
        const isOwn = record?.nonce === nonce;
        // A try before this one may have been stored without an answer.
        if (isOwn && record.state === state) return record.sequence;
        // A server that has just become the leader may give the claim of this writer another sequence,
        // or refuse a write although nothing is in its way.
        if (isOwn) last = record.sequence;
        else if ((record?.sequence ?? 0) !== last) return undefined;
        await this.watch.untilBack();
      }
    }
  }

  /** Returns the record of a subject, if there is one. */
  async read(subject: string): Promise<LedgerRecord | undefined> {
    const message = await this.message(subject);
    if (message === undefined) return undefined;
    const { seq, header } = message;
    return {
      sequence: seq,
      state: header.get(HEADERS.state) === "running" ? "running" : "done",
      nonce: header.get(HEADERS.nonce),
      worker: header.get(HEADERS.worker),
      delivery: Number(header.get(HEADERS.delivery)) || 1,
    };
  }

  /** Returns the message with the record of a subject, if there is one. */
  async message(subject: string): Promise<StoredMsg | undefined> {
    for (;;) {
      try {
        const query = { last_by_subj: subject };
        const reader = this.isDirect ? this.manager.direct : this.manager.streams;
        const found = reader.getMessage(RESULTS_STREAM, query);
        return await this.watch.untilLost(found) ?? undefined;
      } catch (error) {
        if (isFinal(error)) throw natsFailure(error);
        await this.watch.untilBack();
      }
    }
  }
}

/** Whether another try would fail too: this process closed the connection, or has no permission. */
function isFinal(error: unknown): boolean {
  return /closed connection|connection draining|ClosedConnection|permissions violation/i.test(
    `${(error as Error).name} ${(error as Error).message}`,
  );
}

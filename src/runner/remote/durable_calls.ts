/** Answers durable calls. Each gets exactly one result; a change starts at most once. */

import type { MsgHdrs, NatsConnection } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import type { Registry } from "../registry/registry.ts";
import type { Blobs } from "./blobs.ts";
import { type CallHeaders, checkBlob, encodeJson, readRequestHeaders } from "./envelope.ts";
import type { Ledger } from "./ledger.ts";
import { interrupted } from "./recorded_result.ts";
import { copiedHeaders, quickHeaders, resultHeaders } from "./reply_headers.ts";
import { ageOf, ServerClock } from "./server_clock.ts";
import { deadSubject, HEADERS, progressSubject, resultBlob, resultSubject } from "./subjects.ts";
import { userIn } from "./user_proof.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The number of workers that may be lost with a call before it is given up. */
export const MAX_DELIVERIES = 3;

/** The tries to store the copy of a call that is given up, and the milliseconds for each. */
const [MAX_COPY_TRIES, COPY_MS] = [20, 2_000];

/** The header with the id of a message. The server stores a message with the same id once. */
const MESSAGE_ID = "Nats-Msg-Id";

/** A durable call. */
export interface DurableCall {
  /** The pool of workers. */
  pool: string;
  /** The user and the batch, with a dot between. */
  batch: string;
  /** Its id, one token. */
  id: string;
  /** The name of its tool. */
  tool: string;
  /** The headers of its message. */
  headers: MsgHdrs | undefined;
  /** How often a worker got the call. */
  deliveries: number;
  /** The number of this delivery of its message. A pack is delivered more often than its last call. */
  delivery?: number;
  /** When the server stored its message. */
  time: Date;
  /** The arguments as they came. */
  data: Uint8Array;
  /** Reads the arguments. Rejects if they cannot be used. */
  read(headers: CallHeaders): Promise<Record<string, unknown>> | Record<string, unknown>;
  /** The result of a call that was over at once. */
  result?: CallResult | undefined;
}

/** The end of a call: its result is in the ledger, or it was given up, which is its result. */
export type DurableOutcome = "answered" | "given_up";

/** Executes calls, and writes their results into the ledger. */
export class DurableCalls {
  /** The clock that deadlines are compared with. */
  readonly clock: ServerClock;

  /** Takes the connection, the ledger, the objects, and what executes the calls. */
  constructor(
    readonly connection: NatsConnection,
    readonly ledger: Ledger,
    readonly blobs: Blobs,
    readonly context: { worker: string; calls: WorkerCalls; registry: Registry },
  ) {
    this.clock = new ServerClock(ledger);
  }

  /** Answers a call. Rejects if the connection is closed before its result is stored. */
  async answer(call: DurableCall): Promise<DurableOutcome> {
    const { pool, batch, id, tool, deliveries, delivery = deliveries } = call;
    const subject = resultSubject(batch, id);
    const [nonce, name] = [crypto.randomUUID(), `${batch}.${id}`];
    let expected = 0;
    let isRefused = false;
    const isRepeatable = await this.#isRepeatable(tool);
    if (deliveries > 1) {
      for (let record; (record = await this.ledger.read(subject)) !== undefined;) {
        if (record.state === "done") return "answered";
        const result = failureResult(interrupted(record.worker, tool));
        const own = { expected: record.sequence, nonce, delivery, name, result };
        if (await this.#write(subject, own) !== undefined) return "answered";
      }
    }
    if (deliveries > MAX_DELIVERIES) {
      const result = failureResult(givenUp(tool, deliveries - 1));
      // The copy comes first: the next worker writes it if this one is lost here.
      await this.bury(deadSubject(pool, batch, id), { ...call, name });
      await this.#write(subject, { expected, nonce, delivery, name, result });
      return "given_up";
    }
    const begins = async () => {
      if (isRepeatable) return undefined;
      const record = { state: "running", expected: 0, nonce, delivery } as const;
      const claim = await this.ledger.write(subject, record);
      if (claim !== undefined) {
        expected = claim;
        return undefined;
      }
      isRefused = true;
      return failureResult(new CallError("cancelled", "The call was begun or cancelled before"));
    };
    const { result, isQuick } = await this.#execute(call, begins);
    // Another worker or the caller has the word.
    const own = { nonce, delivery, name };
    if (!isRefused) await this.#write(subject, { ...own, expected, result, isQuick });
    return "answered";
  }

  /** Keeps a copy of a call that is given up. The caller gets its result also if that fails. */
  async bury(
    subject: string,
    { data, headers, name }: Pick<DurableCall, "data" | "headers"> & { name: string },
  ): Promise<void> {
    const own = copiedHeaders(headers);
    // A pack has several calls, and each of their copies is stored once.
    own.set(MESSAGE_ID, name);
    for (let tries = 0; tries < MAX_COPY_TRIES; tries++) {
      try {
        const options = { headers: own, timeout: COPY_MS, retries: 0 };
        await this.ledger.watch.untilLost(this.ledger.client.publish(subject, data, options));
        return;
      } catch {
        await this.ledger.watch.untilBack();
      }
    }
  }

  async #execute(
    { batch, id, tool, headers: given, time, read, result: known }: DurableCall,
    begins: () => Promise<CallResult | undefined>,
  ): Promise<{ result: CallResult; isQuick: boolean }> {
    if (known !== undefined) return { result: known, isQuick: true };
    try {
      // The subject decides on the user, the batch and the id, because the server checks who may publish it.
      const own = readRequestHeaders(given, await ageOf(this.clock, { headers: given, time }));
      const headers = { ...own, key: `${batch}.${id}`, user: userIn(batch) };
      checkBlob(headers);
      const call = { name: tool, arguments: await read(headers) };
      // Only reads are over at once, so they need no claim.
      const atOnce = this.context.calls.executeAtOnce(call, headers);
      if (atOnce !== undefined) return { result: atOnce, isQuick: true };
      const onProgress = (line: string) =>
        this.connection.publish(progressSubject(batch, id), line);
      const result = await this.context.calls.execute(call, headers, {
        ...{ begins, ...(headers.progress && { onProgress }) },
      });
      return { result, isQuick: false };
    } catch (error) {
      return { result: failureResult(failureOf(error)), isQuick: false };
    }
  }

  async #write(
    subject: string,
    { expected, nonce, delivery, name, result, isQuick = false }: {
      expected: number;
      nonce: string;
      delivery: number;
      name: string;
      result: CallResult;
      isQuick?: boolean;
    },
  ): Promise<number | undefined> {
    const { worker } = this.context;
    const more = isQuick ? quickHeaders(worker) : resultHeaders(result, worker);
    let data = encodeJson(result);
    if (data.length > this.blobs.threshold) {
      try {
        more.set(HEADERS.blob, await this.blobs.put(resultBlob(name, nonce), data));
        data = new Uint8Array();
      } catch (error) {
        data = encodeJson(failureResult(failureOf(error)));
      }
    }
    const record = { state: "done", expected, nonce, delivery, data, more } as const;
    return await this.ledger.write(subject, record);
  }

  /** Whether a second run of the tool does no harm. */
  async #isRepeatable(tool: string): Promise<boolean> {
    try {
      const { metadata } = await this.context.registry.get(tool).load();
      return metadata.sideEffect === "none" || metadata.sideEffect === "read_only" ||
        metadata.idempotent === true;
    } catch {
      // The call fails, whatever its tool would do.
      return true;
    }
  }
}

function givenUp(tool: string, workers: number): CallError {
  const message = `The call of ${quote(tool)} was given up: ${workers} workers were lost with it`;
  return new CallError("unavailable", message, { tool, workers });
}

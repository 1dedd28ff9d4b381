/** Sends calls to workers by request and reply. */

import {
  type Msg,
  type NatsConnection,
  PermissionViolationError,
  type Subscription,
} from "@nats-io/transport-node";
import { delay } from "@std/async/delay";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { IncomingCall, ToolCall } from "../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import { decodeResult, encodeJson, requestHeaders } from "./envelope.ts";
import { callSubject, cancelSubject, HEADERS, progressSubject } from "./subjects.ts";

/** The time without a beat after which the worker counts as lost, in milliseconds. */
const SILENCE_MS = 20_000;

/** The time for which a call is offered again to workers that have no room, in milliseconds. */
const MAX_BUSY_MS = 60_000;

/** The status in the header of a reply that nobody receives the request. */
const NO_RESPONDERS = 503;

/** How calls are sent. */
export interface RemoteOptions {
  /** The pool of workers. */
  pool: string;
  /** The batch, which is a part of the id of each call. */
  batch: string;
  /** The permission flags that calls are restricted to. */
  narrow?: readonly string[];
  /** The session. */
  session?: string;
  /** The time limit of each call from when it is sent until it starts, in milliseconds. */
  deadlineMs?: number;
  /** The trace context. */
  trace?: string;
  /** Takes each line of progress. */
  onProgress?(line: string): void;
}

/** A call that waits for its reply. */
interface Waiting {
  subject: string;
  heard: number;
  settle(message: Msg | CallError): void;
}

/** Sends calls to the workers of a pool. A call runs at most once. */
export class CoreRunner {
  readonly #inbox: string;
  readonly #replies: Subscription;
  readonly #waiting = new Map<string, Waiting>();
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #blobs: Blobs;
  #count = 0;

  /** Takes the connection, which the caller closes. */
  constructor(readonly connection: NatsConnection, readonly options: RemoteOptions) {
    this.#inbox = `_INBOX.${options.batch}`;
    this.#blobs = new Blobs(connection);
    this.#replies = connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
      },
    });
    this.#watch = setInterval(() => this.#failSilent(), SILENCE_MS / 4);
    this.#watchErrors();
  }

  /** Executes one call on a worker. Each failure is a result. Never rejects. */
  async execute(incoming: IncomingCall, signal: AbortSignal): Promise<CallResult> {
    if ("failure" in incoming) return failureResult(incoming.failure);
    try {
      return await this.#send(incoming.call, signal);
    } catch (error) {
      return failureResult(failureOf(error));
    }
  }

  /** Ends the subscription. */
  close(): void {
    clearInterval(this.#watch);
    this.#replies.unsubscribe();
  }

  async #send(call: ToolCall, signal: AbortSignal): Promise<CallResult> {
    const { options } = this;
    const own = String(++this.#count);
    const id = `${options.batch}.${own}`;
    const subject = callSubject(options.pool, call.name);
    if (signal.aborted) throw cancelled(call);
    let data = encodeJson(call.arguments);
    let blob: string | undefined;
    if (data.length > this.#blobs.threshold) {
      blob = await this.#blobs.put(`${id}.args`, data);
      data = new Uint8Array();
    }
    const { narrow, session, deadlineMs, trace, onProgress } = options;
    const progress = onProgress && this.connection.subscribe(progressSubject(options.batch, own), {
      callback: (error, message) => {
        if (error === null) onProgress(message.string());
      },
    });
    const headers = requestHeaders({
      ...{ id, beat: true, progress: onProgress !== undefined },
      ...(narrow && { narrow }),
      ...(session !== undefined && { session }),
      ...(deadlineMs !== undefined && { deadline: Date.now() + deadlineMs }),
      ...(blob !== undefined && { blob }),
      ...(trace !== undefined && { trace }),
    });
    const cancel = () => this.connection.publish(cancelSubject(options.batch, own));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      for (const begun = performance.now();;) {
        const reply = await this.#request(own, subject, { data, headers });
        const result = await this.#resultIn(reply, call);
        const retryMs = busyMs(result);
        if (retryMs === undefined || performance.now() - begun > MAX_BUSY_MS) return result;
        await delay(retryMs * (0.5 + Math.random()), { signal }).catch(() => {});
        if (signal.aborted) throw cancelled(call);
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      progress?.unsubscribe();
    }
  }

  #request(
    own: string,
    subject: string,
    { data, headers }: { data: Uint8Array; headers: ReturnType<typeof requestHeaders> },
  ): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const settle = (message: Msg | CallError) => {
        this.#waiting.delete(own);
        if (message instanceof Error) reject(message);
        else resolve(message);
      };
      this.#waiting.set(own, { subject, heard: performance.now(), settle });
      this.connection.publish(subject, data, { headers, reply: `${this.#inbox}.${own}` });
    });
  }

  async #resultIn(message: Msg, call: ToolCall): Promise<CallResult> {
    if (message.headers?.code === NO_RESPONDERS) throw noWorker(call.name, this.options.pool);
    const blob = message.headers?.get(HEADERS.blob);
    return decodeResult(blob ? await this.#blobs.take(blob) : message.data);
  }

  #receive(message: Msg): void {
    const waiting = this.#waiting.get(message.subject.slice(this.#inbox.length + 1));
    if (waiting === undefined) return;
    if (message.headers?.get(HEADERS.beat)) waiting.heard = performance.now();
    else waiting.settle(message);
  }

  /** Gives up the calls of which nothing was heard. */
  #failSilent(): void {
    const now = performance.now();
    for (const { heard, settle, subject } of this.#waiting.values()) {
      if (now - heard < SILENCE_MS) continue;
      const message = `Nothing was heard of the worker for ${SILENCE_MS / 1_000} s (${subject}); ` +
        "whether the call took effect is not known";
      settle(new CallError("timeout", message, { silentMs: SILENCE_MS }));
    }
  }

  /** Fails the calls that the server does not let this process send. */
  async #watchErrors(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
      const { subject, operation } = status.error;
      for (const waiting of this.#waiting.values()) {
        if (
          operation === "publish" ? waiting.subject !== subject : !subject.startsWith(this.#inbox)
        ) {
          continue;
        }
        const message = `The NATS server does not let this user ${operation} ${
          quote(subject, 200)
        }`;
        waiting.settle(new CallError("permission_denied", message, { subject }));
      }
    }
  }
}

/** The failure for a call that no worker of the pool can run. */
export function noWorker(tool: string, pool: string): CallError {
  const message =
    `No worker of the pool ${quote(pool)} offers ${quote(tool, 80)}; start one with ` +
    '"toolcall worker --nats=URL" and flags that the tool needs';
  return new CallError("unavailable", message, { tool, pool });
}

function cancelled({ name }: ToolCall): CallError {
  return new CallError("cancelled", `The call of ${quote(name)} was cancelled`);
}

/** The time after which a worker without room wants to be asked again. */
function busyMs(result: CallResult): number | undefined {
  const error = result._meta?.["toolcall/error"];
  if (error?.code !== "unavailable" || error["passing"] !== true) return undefined;
  const { retryAfterMs } = error;
  return typeof retryAfterMs === "number" ? Math.min(5_000, Math.max(10, retryAfterMs)) : undefined;
}

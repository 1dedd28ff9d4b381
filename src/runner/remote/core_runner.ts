/** Sends calls to workers by request and reply. */

import {
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  PermissionViolationError,
  type Subscription,
} from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { IncomingCall, ToolCall } from "../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import { CallPacks, isPackToken, type PackedResult, readPackedResults } from "./call_packs.ts";
import {
  busyMs,
  cancelledCall,
  goneWorkspace,
  noWorker,
  type RemoteOptions,
  silentWorker,
} from "./core_failures.ts";
import { decodeResult, encodeJson, headersOf } from "./envelope.ts";
import { natsFailure } from "./nats_failures.ts";
import type { OpenWorkspace } from "./open_workspace.ts";
import type { RemoteTasks } from "./remote_tasks.ts";
import {
  argumentsBlob,
  callSubject,
  cancelSubject,
  HEADERS,
  replyBlob,
  replyInbox,
  workspaceCallSubject,
} from "./subjects.ts";
import { asksForBackground } from "./task_process.ts";
import { signSender } from "./user_proof.ts";

/** The time without a beat after which the worker counts as lost, in milliseconds. */
const SILENCE_MS = 20_000;

/** The time for which a call is offered again to workers that have no room, in milliseconds. */
const MAX_BUSY_MS = 60_000;

/** The status in the header of a reply that nobody receives the request. */
const NO_RESPONDERS = 503;

/** The reply to a call in a pack that its worker could not read. */
const NOT_RUN: Omit<PackedResult, "id"> = {};

/** A call that waits for its reply. */
interface Waiting {
  call: ToolCall;
  subject: string;
  heard: number;
  resolve(reply: Omit<PackedResult, "id">): void;
  reject(error: unknown): void;
}

/** Sends calls to the workers of a pool. A call runs at most once. */
export class CoreRunner {
  readonly #inbox: string;
  readonly #replies: Subscription;
  readonly #waiting = new Map<string, Waiting>();
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #blobs: Blobs;
  readonly #headers: MsgHdrs | undefined;
  readonly #proof: string | undefined;
  /** The tools whose last calls were answered at once, with their subjects. Further calls are packed. */
  readonly #quick = new Map<string, string>();
  /** The calls of the packs that were sent. */
  readonly #packs = new Map<string, readonly string[]>();
  readonly #packing = new CallPacks(({ subject, token, ids, payload }) => {
    this.#packs.set(token, ids);
    this.connection.publish(subject, payload, {
      reply: `${this.#inbox}.${token}`,
      ...(this.#headers && { headers: this.#headers }),
    });
  });
  #mayPack = true;
  #count = 0;

  /** The batch of the background tasks. Its numbers begin again with each process, so it is new. */
  readonly #taskBatch = crypto.randomUUID().replaceAll("-", "").slice(0, 12);

  /**
   * Takes the connection, which the caller closes, what opens the background tasks, and the workspace
   * that calls run in.
   */
  constructor(
    readonly connection: NatsConnection,
    readonly options: RemoteOptions,
    readonly tasks: () => Promise<RemoteTasks>,
    readonly workspace?: OpenWorkspace,
  ) {
    this.#inbox = replyInbox(options.batch);
    const { userKey, batch } = options;
    this.#proof = userKey && signSender(userKey, batch);
    this.#headers = headersOf(options, this.#proof === undefined ? {} : { proof: this.#proof });
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
    const { call } = incoming;
    try {
      if (this.workspace === undefined && asksForBackground(call.arguments)) {
        const place = { batch: this.#taskBatch, token: String(++this.#count), signal };
        const started = await (await this.tasks()).start(call, place);
        if (started !== undefined) return started;
      }
      return await this.#send(call, signal);
    } catch (error) {
      return failureResult(failureOf(natsFailure(error)));
    }
  }

  /**
   * Sends a call together with others, if such calls were answered at once so far. Returns `undefined`
   * for any other call. Never rejects.
   */
  executeSoon(call: ToolCall): Promise<CallResult> | undefined {
    const subject = this.#mayPack ? this.#quick.get(call.name) : undefined;
    if (subject === undefined || this.options.deadlineMs !== undefined) return undefined;
    if (asksForBackground(call.arguments)) return undefined;
    const own = String(this.#count + 1);
    if (!this.#packing.add(subject, own, call.arguments)) return undefined;
    this.#count++;
    return this.#reply(own, subject, call).then((reply) =>
      reply === NOT_RUN ? undefined : this.#resultIn(reply, own)
    ).then(
      (result) =>
        result !== undefined && busyMs(result) === undefined
          ? result
          : this.execute({ call }, new AbortController().signal),
      (error) => failureResult(failureOf(error)),
    );
  }

  /** Fails the calls that still wait. */
  stop(): void {
    for (const { call, reject } of [...this.#waiting.values()]) reject(cancelledCall(call));
  }

  /** Ends the subscription. */
  close(): void {
    clearInterval(this.#watch);
    this.#replies.unsubscribe();
  }

  async #send(call: ToolCall, signal: AbortSignal): Promise<CallResult> {
    const { options } = this;
    const [own, begun] = [String(++this.#count), performance.now()];
    const key = `${options.batch}.${own}`;
    const subject = this.workspace === undefined
      ? callSubject(options.pool, call.name)
      : workspaceCallSubject(options.pool, this.workspace.key, call.name);
    if (signal.aborted) throw cancelledCall(call);
    let data = encodeJson(call.arguments);
    let blob: string | undefined;
    if (data.length > this.#blobs.threshold) {
      blob = await this.#blobs.put(argumentsBlob(key), data);
      data = new Uint8Array();
    }
    const cancel = () => this.connection.publish(cancelSubject(options.batch, own));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      for (;;) {
        const headers = this.#headersOf(blob, performance.now() - begun);
        const reply = this.#reply(own, subject, call);
        const more = { reply: `${this.#inbox}.${own}`, ...(headers && { headers }) };
        this.connection.publish(subject, data, more);
        const result = await this.#resultIn(await reply, own);
        const retryMs = busyMs(result);
        if (retryMs === undefined || performance.now() - begun > MAX_BUSY_MS) return result;
        await delay(retryMs * (0.5 + Math.random()), { signal }).catch(() => {});
        if (signal.aborted) throw cancelledCall(call);
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      if (blob !== undefined) this.#blobs.delete(blob);
    }
  }

  async #resultIn({ result, blob }: Omit<PackedResult, "id">, own: string): Promise<CallResult> {
    if (result !== undefined) return result;
    if (blob !== replyBlob(`${this.options.batch}.${own}`)) return decodeResult(new Uint8Array());
    return decodeResult(await this.#blobs.take(blob));
  }

  /** The headers of a call that was begun so many milliseconds ago. */
  #headersOf(blob?: string, ageMs = 0): MsgHdrs | undefined {
    const { options } = this;
    const { deadlineMs } = options;
    // Most calls share their headers, because to make them costs as much as a short call.
    if (blob === undefined && deadlineMs === undefined) return this.#headers;
    const left = deadlineMs && { deadlineMs: Math.max(0, deadlineMs - ageMs) };
    return headersOf({ ...options, ...left }, {
      ...(this.#proof !== undefined && { proof: this.#proof }),
      ...(blob !== undefined && { blob }),
    });
  }

  #reply(own: string, subject: string, call: ToolCall): Promise<Omit<PackedResult, "id">> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(own, { call, subject, heard: performance.now(), resolve, reject });
    }).finally(() => this.#waiting.delete(own)) as Promise<Omit<PackedResult, "id">>;
  }

  #receive(message: Msg): void {
    const { headers } = message;
    const token = message.subject.slice(this.#inbox.length + 1);
    const ids = isPackToken(token) ? this.#packs.get(token) ?? [] : [token];
    if (headers?.get(HEADERS.progress)) return this.options.onProgress?.(message.string());
    const isBeat = Boolean(headers?.get(HEADERS.beat));
    const isMissing = headers?.code === NO_RESPONDERS;
    if (isBeat || isMissing) {
      for (const waiting of ids.map((id) => this.#waiting.get(id))) {
        if (waiting === undefined) continue;
        waiting.heard = performance.now();
        if (isMissing) waiting.reject(this.#nobody(waiting.call));
      }
      if (isMissing) this.#packs.delete(token);
      return;
    }
    if (isPackToken(token)) return this.#receivePack(message, token);
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return;
    if (headers?.get(HEADERS.quick)) this.#quick.set(waiting.call.name, waiting.subject);
    const blob = headers?.get(HEADERS.blob);
    waiting.resolve(blob ? { blob } : { result: decodeResult(message.data) });
  }

  #receivePack(message: Msg, token: string): void {
    const isQuick = Boolean(message.headers?.get(HEADERS.quick));
    const results = readPackedResults(message.data);
    if (results === undefined) return this.#unpack(token);
    for (const { id, ...reply } of results) {
      const waiting = this.#waiting.get(id);
      if (!isQuick && waiting !== undefined) this.#quick.delete(waiting.call.name);
      waiting?.resolve(reply);
    }
    if (isQuick) this.#packs.delete(token);
  }

  /** Sends the calls of a pack one by one, and packs no more: some worker is an older version. */
  #unpack(token: string): void {
    this.#mayPack = false;
    for (const id of this.#packs.get(token) ?? []) this.#waiting.get(id)?.resolve(NOT_RUN);
    this.#packs.delete(token);
  }

  #nobody({ name }: ToolCall): CallError {
    if (this.workspace !== undefined) return goneWorkspace(this.workspace.name);
    return noWorker(name, this.options.pool);
  }

  /** Gives up the calls of which nothing was heard. */
  #failSilent(): void {
    const now = performance.now();
    for (const { heard, reject, subject } of this.#waiting.values()) {
      if (now - heard >= SILENCE_MS) reject(silentWorker(subject, SILENCE_MS));
    }
  }

  /** Fails the calls that the server does not let this process send. */
  async #watchErrors(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
      const { subject, operation } = status.error;
      for (const waiting of this.#waiting.values()) {
        const isOwn = operation === "publish"
          ? waiting.subject === subject
          : subject.startsWith(this.#inbox);
        if (!isOwn) continue;
        const message = `The NATS server does not let this user ${operation} ${
          quote(subject, 200)
        }`;
        waiting.reject(new CallError("permission_denied", message, { subject }));
      }
    }
  }
}

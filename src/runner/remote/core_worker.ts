/** Answers calls that come by request and reply: each is executed at most once. */

import type { Msg, MsgHdrs, NatsConnection, Subscription } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { failureOf, failureResult } from "../call/failure.ts";
import type { CallResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import { isPackToken, packedResult, readNumberedPack } from "./call_packs.ts";
import {
  type CallHeaders,
  checkBlob,
  decodeArguments,
  encodeJson,
  readRequestHeaders,
} from "./envelope.ts";
import { beatHeaders, progressHeaders, quickHeaders, resultHeaders } from "./reply_headers.ts";
import { callSubject, HEADERS, keyOfReply, QUEUE, workerSubject } from "./subjects.ts";
import { userIn } from "./user_proof.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The interval of beats, in milliseconds: empty messages which tell that the call still runs. */
const BEAT_MS = 2_000;

/** The subscriptions of a worker, and the calls that they bring. */
export class CoreWorker {
  readonly #subscriptions: Subscription[] = [];
  readonly #answering = new Set<Promise<void>>();
  readonly #blobs: Blobs;
  readonly #quick: MsgHdrs;

  /** Takes the connection, the name of this worker and what executes the calls. */
  constructor(
    readonly connection: NatsConnection,
    readonly worker: string,
    readonly calls: WorkerCalls,
  ) {
    this.#blobs = new Blobs(connection);
    this.#quick = quickHeaders(worker);
  }

  /** Subscribes to the calls of these tools. */
  listen(pool: string, tools: readonly string[]): void {
    for (const tool of tools) {
      const callback = (error: Error | null, message: Msg) => {
        if (error === null) this.take(tool, message);
      };
      const { connection, worker } = this;
      this.#subscriptions.push(
        connection.subscribe(callSubject(pool, tool), { queue: QUEUE, callback }),
        connection.subscribe(workerSubject(worker, tool), { callback }),
      );
    }
    const callback = (error: Error | null, { subject }: Msg) => {
      if (error === null) this.calls.cancel(subject.slice("toolcall.cancel.".length));
    };
    this.#subscriptions.push(this.connection.subscribe("toolcall.cancel.*.*.*", { callback }));
  }

  /** Takes no further call. Resolves when the calls that were delivered before have begun. */
  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.map((each) => each.drain()));
  }

  /** Resolves when every call is answered. */
  async untilAnswered(): Promise<void> {
    while (this.#answering.size > 0) await Promise.all(this.#answering);
  }

  /** Takes a call. `workspace` is the user and the name of its workspace. */
  take(tool: string, message: Msg, workspace?: string): void {
    const key = keyOfReply(message.reply);
    try {
      const call: CallHeaders = {
        ...readRequestHeaders(message.headers),
        ...(key !== undefined && { key }),
        ...(workspace !== undefined && { workspace, user: userIn(workspace) }),
      };
      checkBlob(call);
      const at = key === undefined ? -1 : key.lastIndexOf(".") + 1;
      if (at > 0 && isPackToken(key!.slice(at))) {
        return this.#takePack(tool, message, { call, batch: key!.slice(0, at) });
      }
      const atOnce = call.blob === undefined && this.calls.executeAtOnce(
        { name: tool, arguments: decodeArguments(message.data) },
        call,
      );
      if (!atOnce) this.#track(this.#answer(tool, message, call));
      // A short result fits into a message, and its headers are always the same.
      else if (message.reply) message.respond(encodeJson(atOnce), { headers: this.#quick });
    } catch (error) {
      this.refuse(message, error);
    }
  }

  /** Answers a call that cannot run. */
  refuse(message: Msg, error: unknown): void {
    const result = failureResult(failureOf(error));
    this.#track(this.#reply(message, result, keyOfReply(message.reply)));
  }

  /** Executes the calls of a pack: those that take no time first, and the others on their own. */
  #takePack(
    tool: string,
    message: Msg,
    { call, batch }: { call: CallHeaders; batch: string },
  ): void {
    const calls = readNumberedPack(message.data);
    if (calls === undefined || call.blob !== undefined) {
      throw new CallError("malformed_call", "The payload is not a pack of calls");
    }
    let texts: string[] = [];
    let length = 0;
    const flush = () => {
      if (texts.length === 0) return;
      message.respond(`[${texts.join(",")}]`, { headers: this.#quick });
      [texts, length] = [[], 0];
    };
    for (const { id, args } of calls) {
      const own = { ...call, key: `${batch}${id}` };
      const result = this.calls.executeAtOnce({ name: tool, arguments: args }, call);
      if (result === undefined) {
        this.#track(this.#answerPacked(message, { id, tool, args, call: own }));
        continue;
      }
      const text = packedResult(id, JSON.stringify(result));
      // A character has at most three bytes.
      if ((length + text.length) * 3 > this.#blobs.threshold) flush();
      texts.push(text);
      length += text.length;
    }
    flush();
  }

  async #answerPacked(
    message: Msg,
    { id, tool, args, call }: {
      id: string | number;
      tool: string;
      args: Record<string, unknown>;
      call: CallHeaders;
    },
  ): Promise<void> {
    const beat = setInterval(
      () => message.respond("", { headers: beatHeaders(this.worker) }),
      BEAT_MS,
    );
    const result = await this.calls.execute({ name: tool, arguments: args }, call);
    clearInterval(beat);
    const { data, blob } = await this.#payload(result, call.key);
    const text = packedResult(id, new TextDecoder().decode(data), blob);
    message.respond(`[${text}]`, { headers: resultHeaders(result, this.worker) });
  }

  async #answer(tool: string, message: Msg, call: CallHeaders): Promise<void> {
    let result: CallResult;
    let beat: ReturnType<typeof setInterval> | undefined;
    try {
      if (call.key !== undefined) {
        beat = setInterval(
          () => message.respond("", { headers: beatHeaders(this.worker) }),
          BEAT_MS,
        );
      }
      const data = call.blob === undefined ? message.data : await this.#blobs.get(call.blob);
      const args = decodeArguments(data);
      const onProgress = (line: string) => message.respond(line, { headers: progressHeaders() });
      result = await this.calls.execute({ name: tool, arguments: args }, call, {
        ...(call.progress && call.key !== undefined && { onProgress }),
      });
    } catch (error) {
      result = failureResult(failureOf(error));
    } finally {
      clearInterval(beat);
    }
    await this.#reply(message, result, call.key);
  }

  #track(answer: Promise<void>): void {
    const tracked = answer.finally(() => this.#answering.delete(tracked));
    this.#answering.add(tracked);
  }

  async #reply(message: Msg, result: CallResult, key: string | undefined): Promise<void> {
    if (message.reply === undefined || message.reply === "") return;
    const reply = resultHeaders(result, this.worker);
    const { data, blob } = await this.#payload(result, key);
    if (blob !== undefined) reply.set(HEADERS.blob, blob);
    message.respond(data, { headers: reply });
  }

  /** The payload of a result, or the object with it if it is too large. */
  async #payload(
    result: CallResult,
    key: string | undefined,
  ): Promise<{ data: Uint8Array; blob?: string }> {
    const data = encodeJson(result);
    if (data.length <= this.#blobs.threshold) return { data };
    try {
      const blob = await this.#blobs.put(`${key ?? crypto.randomUUID()}.result`, data);
      return { data: new Uint8Array(), blob };
    } catch (error) {
      return { data: encodeJson(failureResult(failureOf(error))) };
    }
  }
}

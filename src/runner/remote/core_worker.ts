/** Answers calls that come by request and reply: each is executed at most once. */

import type { Msg, MsgHdrs, Subscription } from "@nats-io/nats-core";
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
import type { MessageReply, Replies } from "./replies.ts";
import { beatHeaders, progressHeaders, quickHeaders, resultHeaders } from "./reply_headers.ts";
import { callSubject, HEADERS, QUEUE, replyBlob, workerSubject } from "./subjects.ts";
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

  /** Takes what answers messages, the name of this worker and what executes the calls. */
  constructor(
    readonly replies: Replies,
    readonly worker: string,
    readonly calls: WorkerCalls,
  ) {
    this.#blobs = new Blobs(replies.connection);
    this.#quick = quickHeaders(worker);
  }

  /** Subscribes to the calls of these tools. */
  listen(pool: string, tools: readonly string[]): void {
    const { replies: { connection }, worker } = this;
    for (const tool of tools) {
      const callback = (error: Error | null, message: Msg) => {
        if (error === null) this.take(tool, message);
      };
      this.#subscriptions.push(
        connection.subscribe(callSubject(pool, tool), { queue: QUEUE, callback }),
        connection.subscribe(workerSubject(worker, tool), { callback }),
      );
    }
    const callback = (error: Error | null, { subject }: Msg) => {
      if (error === null) this.calls.cancel(subject.slice("toolcall.cancel.".length));
    };
    this.#subscriptions.push(connection.subscribe("toolcall.cancel.*.*.*", { callback }));
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
    const reply = this.replies.open(message);
    if (reply === undefined) return;
    const { key, user } = reply;
    try {
      const call: CallHeaders = {
        ...{ ...readRequestHeaders(message.headers), user },
        ...(key !== undefined && { key }),
        ...(workspace !== undefined && { workspace, user: userIn(workspace) }),
      };
      checkBlob(call);
      const at = key === undefined ? -1 : key.lastIndexOf(".") + 1;
      if (at > 0 && isPackToken(key!.slice(at))) {
        return this.#takePack(tool, message, { reply, call, batch: key!.slice(0, at) });
      }
      const atOnce = call.blob === undefined && this.calls.executeAtOnce(
        { name: tool, arguments: decodeArguments(message.data) },
        call,
      );
      if (!atOnce) this.#track(this.#answer({ tool, message, call, reply }));
      // A short result fits into a message, and its headers are always the same.
      else reply.send(encodeJson(atOnce), this.#quick);
    } catch (error) {
      this.refuse(reply, error);
    }
  }

  /** Answers a call that cannot run. */
  refuse(reply: MessageReply, error: unknown): void {
    this.#track(this.#reply(reply, failureResult(failureOf(error))));
  }

  /** Executes the calls of a pack: those that take no time first, and the others on their own. */
  #takePack(
    tool: string,
    { data }: Msg,
    { reply, call, batch }: { reply: MessageReply; call: CallHeaders; batch: string },
  ): void {
    const calls = readNumberedPack(data);
    if (calls === undefined || call.blob !== undefined) {
      throw new CallError("malformed_call", "The payload is not a pack of calls");
    }
    let texts: string[] = [];
    let length = 0;
    const flush = () => {
      if (texts.length === 0) return;
      reply.send(`[${texts.join(",")}]`, this.#quick);
      [texts, length] = [[], 0];
    };
    for (const { id, args } of calls) {
      const own = { ...call, key: `${batch}${id}` };
      const result = this.calls.executeAtOnce({ name: tool, arguments: args }, call);
      if (result === undefined) {
        this.#track(this.#answerPacked(reply, { id, tool, args, call: own }));
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
    reply: MessageReply,
    { id, tool, args, call }: {
      id: string | number;
      tool: string;
      args: Record<string, unknown>;
      call: CallHeaders;
    },
  ): Promise<void> {
    const beat = setInterval(() => reply.send("", beatHeaders(this.worker)), BEAT_MS);
    const result = await this.calls.execute({ name: tool, arguments: args }, call);
    clearInterval(beat);
    const { data, blob } = await this.#payload(result, call.key);
    const text = packedResult(id, new TextDecoder().decode(data), blob);
    reply.send(`[${text}]`, resultHeaders(result, this.worker));
  }

  async #answer(
    { tool, message, call, reply }: {
      tool: string;
      message: Msg;
      call: CallHeaders;
      reply: MessageReply;
    },
  ): Promise<void> {
    let result: CallResult;
    let beat: ReturnType<typeof setInterval> | undefined;
    try {
      if (call.key !== undefined) {
        beat = setInterval(() => reply.send("", beatHeaders(this.worker)), BEAT_MS);
      }
      const data = call.blob === undefined ? message.data : await this.#blobs.get(call.blob);
      const args = decodeArguments(data);
      const onProgress = (line: string) => reply.send(line, progressHeaders());
      result = await this.calls.execute({ name: tool, arguments: args }, call, {
        ...(call.progress && call.key !== undefined && { onProgress }),
      });
    } catch (error) {
      result = failureResult(failureOf(error));
    } finally {
      clearInterval(beat);
    }
    await this.#reply(reply, result);
  }

  #track(answer: Promise<void>): void {
    const tracked = answer.finally(() => this.#answering.delete(tracked));
    this.#answering.add(tracked);
  }

  async #reply(reply: MessageReply, result: CallResult): Promise<void> {
    const headers = resultHeaders(result, this.worker);
    const { data, blob } = await this.#payload(result, reply.key);
    if (blob !== undefined) headers.set(HEADERS.blob, blob);
    reply.send(data, headers);
  }

  /** The payload of a result, or the object with it if it is too large. */
  async #payload(
    result: CallResult,
    key: string | undefined,
  ): Promise<{ data: Uint8Array; blob?: string }> {
    const data = encodeJson(result);
    if (data.length <= this.#blobs.threshold) return { data };
    try {
      const blob = await this.#blobs.put(replyBlob(key ?? crypto.randomUUID()), data);
      return { data: new Uint8Array(), blob };
    } catch (error) {
      return { data: encodeJson(failureResult(failureOf(error))) };
    }
  }
}

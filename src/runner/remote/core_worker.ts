/** Answers calls that come by request and reply: each is executed at most once. */

import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { headers } from "@nats-io/transport-node";
import { failureOf, failureResult } from "../call/failure.ts";
import type { CallResult } from "../call/failure.ts";
import { Blobs } from "./blobs.ts";
import { decodeArguments, encodeJson, readRequestHeaders } from "./envelope.ts";
import { callSubject, HEADERS, progressSubject, QUEUE, workerSubject } from "./subjects.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The interval of beats, in milliseconds: empty messages which tell that the call still runs. */
const BEAT_MS = 2_000;

/** The subscriptions of a worker, and the calls that they bring. */
export class CoreWorker {
  readonly #subscriptions: Subscription[] = [];
  readonly #answering = new Set<Promise<void>>();
  readonly #blobs: Blobs;

  /** Takes the connection, the name of this worker and what executes the calls. */
  constructor(
    readonly connection: NatsConnection,
    readonly worker: string,
    readonly calls: WorkerCalls,
  ) {
    this.#blobs = new Blobs(connection);
  }

  /** Subscribes to the calls of these tools. */
  listen(pool: string, tools: readonly string[]): void {
    for (const tool of tools) {
      const callback = (error: Error | null, message: Msg) => {
        if (error === null) this.#take(tool, message);
      };
      const { connection, worker } = this;
      this.#subscriptions.push(
        connection.subscribe(callSubject(pool, tool), { queue: QUEUE, callback }),
        connection.subscribe(workerSubject(worker, tool), { callback }),
      );
    }
    const callback = (error: Error | null, { subject }: Msg) => {
      if (error === null) this.calls.cancel(subject.split(".").slice(2).join("."));
    };
    this.#subscriptions.push(this.connection.subscribe("toolcall.cancel.*.*", { callback }));
  }

  /** Takes no further call. Resolves when the calls that were delivered before have begun. */
  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.map((each) => each.drain()));
  }

  /** Resolves when every call is answered. */
  async untilAnswered(): Promise<void> {
    while (this.#answering.size > 0) await Promise.all(this.#answering);
  }

  #take(tool: string, message: Msg): void {
    const answering = this.#answer(tool, message).finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }

  async #answer(tool: string, message: Msg): Promise<void> {
    let result: CallResult;
    let beat: ReturnType<typeof setInterval> | undefined;
    let id: string | undefined;
    try {
      const call = readRequestHeaders(message.headers);
      id = call.id;
      const atOnce = call.blob === undefined && this.calls.executeAtOnce(
        { name: tool, arguments: decodeArguments(message.data) },
        call,
      );
      if (atOnce) return await this.#reply(message, atOnce, id);
      if (call.beat) beat = setInterval(() => this.#beat(message), BEAT_MS);
      const data = call.blob === undefined ? message.data : await this.#blobs.take(call.blob);
      const args = decodeArguments(data);
      result = await this.calls.execute({ name: tool, arguments: args }, call, {
        ...(call.progress && id !== undefined && { onProgress: this.#progressTo(id) }),
      });
    } catch (error) {
      result = failureResult(failureOf(error));
    } finally {
      clearInterval(beat);
    }
    await this.#reply(message, result, id);
  }

  #progressTo(id: string): (line: string) => void {
    const [batch = "", own = ""] = id.split(".");
    return (line) => this.connection.publish(progressSubject(batch, own), line);
  }

  #beat(message: Msg): void {
    const beat = headers();
    beat.set(HEADERS.beat, "1");
    beat.set(HEADERS.worker, this.worker);
    message.respond("", { headers: beat });
  }

  async #reply(message: Msg, result: CallResult, id: string | undefined): Promise<void> {
    if (message.reply === undefined || message.reply === "") return;
    const reply = resultHeaders(result, this.worker);
    try {
      let data = encodeJson(result);
      if (data.length > this.#blobs.threshold) {
        reply.set(HEADERS.blob, await this.#blobs.put(`${id ?? crypto.randomUUID()}.result`, data));
        data = new Uint8Array();
      }
      message.respond(data, { headers: reply });
    } catch (error) {
      const failure = failureResult(failureOf(error));
      message.respond(encodeJson(failure), { headers: resultHeaders(failure, this.worker) });
    }
  }
}

/** The headers of a result. The services protocol counts a failure by its error headers. */
export function resultHeaders(
  result: CallResult,
  worker: string,
): ReturnType<typeof headers> {
  const all = headers();
  all.set(HEADERS.worker, worker);
  const code = result._meta?.["toolcall/error"]?.code;
  if (code !== undefined) {
    all.set(HEADERS.code, code);
    all.set("Nats-Service-Error", code);
    all.set("Nats-Service-Error-Code", "500");
  }
  return all;
}

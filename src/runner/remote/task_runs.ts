/**
 * Runs background tasks that come from the queue. Each is started at most once. Its record in the ledger
 * has the output so far while it runs, and its result in the end.
 */

import type { JsMsg } from "@nats-io/jetstream";
import type { Msg } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import { CallError } from "../../base/errors.ts";
import { outputSoFar } from "../../base/fs/output_so_far.ts";
import { quote } from "../../base/text/quote.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import type { Blobs } from "./blobs.ts";
import {
  type CallHeaders,
  checkBlob,
  decodeArguments,
  encodeJson,
  readRequestHeaders,
} from "./envelope.ts";
import type { Ledger } from "./ledger.ts";
import { resultHeaders, runningHeaders } from "./reply_headers.ts";
import { HEADERS, outputBlob, readJobSubject, resultBlob, resultSubject } from "./subjects.ts";
import { ageOf, type ServerClock } from "./server_clock.ts";
import { userIn } from "./user_proof.ts";
import type { WorkerCalls } from "./worker_calls.ts";

/** The interval between two looks at the output of a running task, in milliseconds. */
const LOOK_MS = 500;

/** The most characters of output in a record. */
const MAX_OUTPUT = 30_000;

/** The answer to the question whether a task can be started: its time limit, or the failure. */
export type TaskCheck = { timeoutMs: number } | CallResult;

/** A running task: its record, and the file with its output. */
interface RunningTask {
  id: string;
  key: string;
  subject: string;
  nonce: string;
  startedAt: number;
  path: string;
}

/** The background tasks of a worker. */
export class TaskRuns {
  /** Takes the ledger, the objects, and what runs the tasks. `beatMs` is the time between records. */
  constructor(
    readonly ledger: Ledger,
    readonly blobs: Blobs,
    readonly context: {
      worker: string;
      calls: WorkerCalls;
      clock: ServerClock;
      beatMs: number;
    },
  ) {}

  /** Says whether a task of the tool can be started here for a user. */
  async check(tool: string, { data, headers }: Msg, user: string): Promise<TaskCheck> {
    try {
      const call = { name: tool, arguments: decodeArguments(data) };
      const own = { ...readRequestHeaders(headers), user };
      const timeoutMs = await this.context.calls.checkTask(call, own);
      return { timeoutMs };
    } catch (error) {
      return failureResult(failureOf(error));
    }
  }

  /** Runs a task to its end. Rejects if the connection is closed before its result is stored. */
  async answer(message: JsMsg): Promise<"ended"> {
    const { batch, id, tool } = readJobSubject(message.subject);
    const [key, subject] = [`${batch}.${id}`, resultSubject(batch, id)];
    if (message.info.deliveryCount > 1 && await this.#endLost(subject, tool)) return "ended";
    const path = Deno.makeTempFileSync({ prefix: "toolcall-task-" });
    try {
      const task = {
        ...{ id: key.slice(key.indexOf(".") + 1), key, subject, path },
        ...{ nonce: crypto.randomUUID(), startedAt: Date.now() },
      };
      const claim = await this.#writeOutput(task, 0, "");
      // The task was stopped before, or it was sent twice.
      if (claim === undefined) return "ended";
      const run = this.#run(message, { name: tool, task });
      const expected = await this.#follow(task, claim, run);
      const result = await run;
      if (expected !== undefined) await this.#writeResult(task, expected, result);
      return "ended";
    } finally {
      Deno.removeSync(path);
    }
  }

  /** Ends a task that another worker took. Returns false if that worker had not begun it. */
  async #endLost(subject: string, tool: string): Promise<boolean> {
    const record = await this.ledger.message(subject);
    if (record === undefined) return false;
    const { header, seq, data } = record;
    if (header.get(HEADERS.state) !== "running") return true;
    const worker = header.get(HEADERS.worker);
    const result = interruptedTask(tool, { worker, output: new TextDecoder().decode(data) });
    const more = resultHeaders(result, worker);
    more.set(HEADERS.started, header.get(HEADERS.started));
    await this.ledger.write(subject, {
      ...{ state: "done", expected: seq, nonce: crypto.randomUUID() },
      ...{ data: encodeJson(result), more },
    });
    return true;
  }

  async #run(
    message: JsMsg,
    { name, task: { key, path } }: { name: string; task: RunningTask },
  ): Promise<CallResult> {
    try {
      const ageMs = await ageOf(this.context.clock, message);
      const own = readRequestHeaders(message.headers, ageMs);
      const headers: CallHeaders = { ...own, key, user: userIn(key) };
      checkBlob(headers);
      const { blob } = headers;
      const args = decodeArguments(blob === undefined ? message.data : await this.blobs.get(blob));
      return await this.context.calls.runTask({ name, arguments: args }, headers, path);
    } catch (error) {
      return failureResult(failureOf(error));
    }
  }

  /**
   * Records the output of a task until it ends. Returns the sequence of its last record, or `undefined`
   * if somebody else has ended the task. It is then stopped.
   */
  async #follow(
    task: RunningTask,
    claim: number,
    run: Promise<CallResult>,
  ): Promise<number | undefined> {
    const { calls, beatMs } = this.context;
    let [expected, last, written] = [claim, "", Date.now()];
    for (;;) {
      const look = new AbortController();
      const pause = delay(LOOK_MS, { signal: look.signal }).catch(() => {});
      const isOver = await Promise.race([run.then(() => true), pause.then(() => false)]);
      look.abort();
      if (isOver) return expected;
      const output = this.#readOutput(task);
      if (output === last && Date.now() - written < beatMs) continue;
      const next = await this.#writeOutput(task, expected, output);
      if (next === undefined) {
        calls.cancel(task.key);
        return undefined;
      }
      [expected, last, written] = [next, output, Date.now()];
    }
  }

  #readOutput({ path, id }: RunningTask): string {
    return outputSoFar(path, MAX_OUTPUT).replaceAll(`"${path}"`, `"toolcall tasks logs ${id}"`);
  }

  async #writeOutput(
    { subject, nonce, startedAt }: RunningTask,
    expected: number,
    output: string,
  ): Promise<number | undefined> {
    const more = runningHeaders({ startedAt, beatMs: this.context.beatMs });
    const data = new TextEncoder().encode(output);
    return await this.ledger.write(subject, { state: "running", expected, nonce, data, more });
  }

  async #writeResult(
    task: RunningTask,
    expected: number,
    given: CallResult,
  ): Promise<void> {
    const { key, subject, nonce, startedAt, path, id } = task;
    const more = resultHeaders(given, this.context.worker);
    more.set(HEADERS.started, String(startedAt));
    let where = "no file: it could not be kept";
    try {
      if (Deno.statSync(path).size > MAX_OUTPUT) {
        more.set(HEADERS.output, await this.blobs.put(outputBlob(key), Deno.readFileSync(path)));
        where = `toolcall tasks logs ${id}`;
      }
    } catch { /* The result still has the start and the end of the output. */ }
    // The file is removed, and its reader is on another machine.
    const text = JSON.stringify(given).replaceAll(path, where);
    let data = new TextEncoder().encode(text);
    if (data.length > this.blobs.threshold) {
      try {
        more.set(HEADERS.blob, await this.blobs.put(resultBlob(key, nonce), data));
        data = new Uint8Array();
      } catch (error) {
        data = new Uint8Array(encodeJson(failureResult(failureOf(error))));
      }
    }
    await this.ledger.write(subject, { state: "done", expected, nonce, data, more });
  }
}

/** The result of a task whose worker was lost, with the output until then. */
export function interruptedTask(
  tool: string,
  { worker, output }: { worker: string; output: string },
): CallResult {
  const message = `The worker ${worker} was lost while it ran ${quote(tool)}; the output is what ` +
    "there was by then";
  const text = output === "" ? message : `${output.trimEnd()}\n${message}`;
  return failureResult(
    new CallError("interrupted", message, { tool, worker }, [{ type: "text", text }]),
  );
}

/** Starts background tasks on workers, and lists, reads and stops them from the ledger. */

import { jetstream, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolCall } from "../call/call.ts";
import { type CallResult, failureResult } from "../call/failure.ts";
import { titleOfTask } from "../call/task_summary.ts";
import type { TaskReport, TasksService } from "../registry/services.ts";
import { Blobs } from "./blobs.ts";
import { reasonOf } from "./connection.ts";
import type { RemoteOptions } from "./core_failures.ts";
import { encodeJson, headersOf } from "./envelope.ts";
import { Ledger } from "./ledger.ts";
import { isPermissionError } from "./nats_failures.ts";
import { publishJob } from "./publish_job.ts";
import { ServerWatch } from "./server_watch.ts";
import {
  argumentsBlob,
  cancelSubject,
  HEADERS,
  outputBlob,
  RESULTS_STREAM,
  resultSubject,
  taskJobSubject,
  taskListSubject,
  taskSubject,
} from "./subjects.ts";
import { type TaskEntry, TaskList } from "./task_list.ts";
import { isOpenTask, reportTask } from "./task_report.ts";
import type { TaskCheck } from "./task_runs.ts";
import { signSender } from "./user_proof.ts";

/** The time in which a worker says whether it takes a task, in milliseconds. */
const CHECK_MS = 10_000;

/** The interval between two looks at a record, in milliseconds. */
const LOOK_MS = 100;

/** The time that the worker has to end a task, in milliseconds. */
const STOP_MS = 10_000;

/** The interval between two requests to stop a task, in milliseconds. */
const ASK_MS = 1_000;

/** The records that are read at the same time. */
const MAX_READS = 32;

/** An id of a task: the batch and the id of a call. */
const ID = /^[A-Za-z0-9_-]{1,64}\.=?[A-Za-z0-9_-]{1,4096}$/;

/** Whether an id is the id of a task on a worker. Tasks of this machine have no dot in theirs. */
export function isRemoteTaskId(id: unknown): id is string {
  return typeof id === "string" && ID.test(id);
}

/** The background tasks of a user. */
export class RemoteTasks implements TasksService {
  readonly #ledger: Ledger;
  readonly #list: TaskList;
  readonly #blobs: Blobs;
  readonly #user: string;

  private constructor(
    readonly connection: NatsConnection,
    readonly options: RemoteOptions,
    ledger: Ledger,
  ) {
    this.#user = options.batch.slice(0, options.batch.indexOf("."));
    this.#ledger = ledger;
    this.#list = new TaskList(ledger, this.#user);
    this.#blobs = new Blobs(connection);
  }

  /** Opens the tasks of the user of the batch in `options`. */
  static async open(connection: NatsConnection, options: RemoteOptions): Promise<RemoteTasks> {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const client = jetstream(connection);
    const watch = new ServerWatch(connection);
    return new RemoteTasks(
      connection,
      options,
      new Ledger(client, manager, "caller", watch, true),
    );
  }

  /**
   * Starts a task, with `batch.token` as its id. A task that was started before is not started again.
   * Returns the result for the caller, or `undefined` if no worker takes such tasks of the tool.
   * Rejects with a `CallError`.
   */
  async start(
    call: ToolCall,
    { batch, token, signal }: { batch: string; token: string; signal: AbortSignal },
  ): Promise<CallResult | undefined> {
    const check = await this.#check(call);
    if (check === undefined) return undefined;
    if ("content" in check) return check;
    await this.#requireRecords();
    const { pool } = this.options;
    const [id, key] = [`${batch}.${token}`, `${this.#user}.${batch}.${token}`];
    const job = { pool, batch: `${this.#user}.${batch}`, id: token, tool: call.name };
    // The list comes first: a task that is lost between the two can be seen and stopped.
    const isNew = await this.#list.add({
      ...{ id, tool: call.name, pool, startedAt: Date.now() },
      title: titleOfTask(call.arguments) ?? call.name,
    });
    if (isNew || await this.#record(id) === undefined) {
      let data = encodeJson(call.arguments);
      let blob: string | undefined;
      if (data.length > this.#blobs.threshold) {
        blob = await this.#blobs.put(argumentsBlob(key), data);
        data = new Uint8Array();
      }
      const headers = headersOf(this.options, blob === undefined ? {} : { blob });
      await publishJob(this.#ledger, taskJobSubject(job), { data, headers, signal });
    }
    return startedTask(id, check.timeoutMs);
  }

  /** The tasks, the newest first. */
  async list(): Promise<TaskReport[]> {
    await this.#requireRecords();
    const entries = await this.#list.read();
    const reports: TaskReport[] = [];
    for (let at = 0; at < entries.length; at += MAX_READS) {
      const some = entries.slice(at, at + MAX_READS);
      reports.push(
        ...await Promise.all(
          some.map(async (each) => await this.#reportOf(each, await this.#record(each.id))),
        ),
      );
    }
    return reports;
  }

  /** Reports on a task after it has ended or `waitMs` have passed. Rejects for an unknown id. */
  async read(id: string, waitMs: number, signal?: AbortSignal): Promise<TaskReport> {
    const entry = await this.#entry(id);
    for (const end = Date.now() + waitMs;; await delay(LOOK_MS)) {
      const report = await this.#reportOf(entry, await this.#record(id));
      if (!isOpenTask(report) || Date.now() >= end) return report;
      signal?.throwIfAborted();
    }
  }

  /** Returns the whole output of a task, as far as it is known. Rejects for an unknown id. */
  async output(id: string): Promise<{ status: TaskReport["status"]; text: string }> {
    const entry = await this.#entry(id);
    const record = await this.#record(id);
    const { status, text } = await this.#reportOf(entry, record);
    const blob = record?.header.get(HEADERS.output);
    if (!blob || blob !== outputBlob(`${this.#user}.${id}`)) return { status, text };
    return { status, text: new TextDecoder().decode(await this.#blobs.get(blob)) };
  }

  /**
   * Stops a task and reports on it. A task that waits never starts. Rejects for an unknown id. A worker
   * that does not answer is not waited for: the task ends without it, and the worker may notice later.
   */
  async stop(id: string): Promise<TaskReport> {
    const entry = await this.#entry(id);
    const subject = resultSubject(`${this.#user}.${batchOf(id)}`, tokenOf(id));
    const end = async (expected: number, message: string, output = "") => {
      const text = output === "" ? message : `${output.trimEnd()}\n${message}`;
      const failure = new CallError("cancelled", message, { task: id }, [{ type: "text", text }]);
      const data = encodeJson(failureResult(failure));
      const nonce = crypto.randomUUID();
      await this.#ledger.write(subject, { state: "done", expected, nonce, data });
    };
    for (;;) {
      const record = await this.#record(id);
      const report = await this.#reportOf(entry, record);
      if (!isOpenTask(report)) return report;
      if (record === undefined) {
        // A worker that has just taken it finds this record, or this write is refused.
        await end(0, "The task was stopped before it started");
        continue;
      }
      const now = await this.#cancel(id);
      if (!isOpenTask(now)) return now;
      const last = await this.#record(id);
      if (last === undefined || last.header.get(HEADERS.state) === "done") continue;
      const message = `The worker ${now.worker} did not answer within ${STOP_MS / 1_000} s; ` +
        "whether the task still runs there is not known";
      await end(last.seq, message, now.text);
    }
  }

  /** Asks the worker of a task to stop it, and reports on the task after its end or {@link STOP_MS}. */
  async #cancel(id: string): Promise<TaskReport> {
    for (const end = Date.now() + STOP_MS;;) {
      // A worker that has just taken the task does not hear the first request.
      this.connection.publish(cancelSubject(`${this.#user}.${batchOf(id)}`, tokenOf(id)));
      const report = await this.read(id, ASK_MS);
      if (!isOpenTask(report) || Date.now() >= end) return report;
    }
  }

  /** Asks a worker whether it takes such a task. Returns `undefined` if none listens. */
  async #check({ name, arguments: args }: ToolCall): Promise<TaskCheck | undefined> {
    const subject = taskSubject(this.options.pool, name);
    const { userKey } = this.options;
    const proof = userKey && signSender(userKey, this.#user);
    const headers = headersOf(this.options, proof === undefined ? {} : { proof });
    const data = encodeJson(args);
    // Arguments that fit into no message are checked when the task starts.
    const payload = data.length > this.#blobs.threshold ? "{}" : data;
    try {
      const options = { timeout: CHECK_MS, ...(headers && { headers }) };
      return (await this.connection.request(subject, payload, options)).json<TaskCheck>();
    } catch (error) {
      const { message } = error as Error;
      if (/no responders/i.test(message)) return undefined;
      throw this.#failure("start the task", error);
    }
  }

  /** Rejects if the server has no records, or does not let this user read its own. */
  async #requireRecords(): Promise<void> {
    try {
      const query = { last_by_subj: taskListSubject(this.#user) };
      await this.#ledger.manager.direct.getMessage(RESULTS_STREAM, query);
    } catch (error) {
      throw this.#failure("read the background tasks", error);
    }
  }

  #failure(what: string, error: unknown): CallError {
    const reason = reasonOf(error);
    if (isPermissionError(error)) {
      return new CallError(
        "permission_denied",
        `Cannot ${what}: the NATS server refuses: ${reason}`,
      );
    }
    const advice = /no responders|not found/i.test(reason)
      ? `; run "toolcall worker init --nats=URL --pool=${this.options.pool}" once`
      : "";
    return new CallError("unavailable", `Cannot ${what}: ${reason}${advice}`);
  }

  async #entry(id: string): Promise<TaskEntry> {
    if (isRemoteTaskId(id)) {
      await this.#requireRecords();
      const found = (await this.#list.read()).find((each) => each.id === id);
      if (found !== undefined) return found;
    }
    throw new CallError(
      "tool_failed",
      `Cannot find the background task ${
        quote(id, 80)
      }; "toolcall tasks --nats=URL" lists all tasks`,
    );
  }

  #reportOf(entry: TaskEntry, record: StoredMsg | undefined): Promise<TaskReport> {
    return reportTask(entry, record, this.#blobs);
  }

  async #record(id: string): Promise<StoredMsg | undefined> {
    const subject = resultSubject(`${this.#user}.${batchOf(id)}`, tokenOf(id));
    return await this.#ledger.message(subject);
  }
}

const batchOf = (id: string) => id.slice(0, id.indexOf("."));
const tokenOf = (id: string) => id.slice(id.indexOf(".") + 1);

function startedTask(id: string, timeoutMs: number): CallResult {
  const text = `Started in the background as ${id}; read it with TaskOutput, stop it with ` +
    `TaskStop. Its time limit is ${timeoutMs / 1_000} s.`;
  return {
    ...{ content: [{ type: "text", text }], isError: false },
    _meta: { "toolcall/task": { id, timeoutMs } },
  };
}

/** Executes the calls that reach a worker, under its flags and what the caller narrows. */

import { Semaphore } from "../../base/async/semaphore.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions, ToolCall } from "../call/call.ts";
import { refusalOf } from "../call/authorise.ts";
import { executeCall, prepareCall } from "../call/execute.ts";
import type { CallResult } from "../call/failure.ts";
import type { QuickCalls } from "../call/quick_calls.ts";
import { callPolicy } from "../call/run.ts";
import { remoteSession } from "../state/remote_session.ts";
import type { CallHeaders } from "./envelope.ts";
import type { CallTally } from "./call_tally.ts";
import { RunningCalls } from "./running_calls.ts";
import { asksForBackground, runTaskProcess } from "./task_process.ts";
import { NO_USER } from "./user_proof.ts";
import type { Workspaces } from "./workspaces.ts";

/** The most calls that wait for a turn. A further call is refused, and the caller tries again. */
const MAX_WAITING = 1_000;

/** The time after which a refused caller tries again, in milliseconds. */
const RETRY_MS = 200;

/** The parts that a worker executes calls with. */
export interface WorkerContext {
  /** The options of every call. */
  options: CallOptions;
  /** Answers quick calls. */
  quickCalls: QuickCalls;
  /** The number of calls that run at the same time. */
  jobs: number;
  /** The workspaces that all calls run in, if the worker has them. */
  workspaces?: Workspaces;
  /**
   * Returns the permissions that the worker's flags and a caller's flags both grant, in a workspace if
   * there is one.
   */
  narrow(
    flags: readonly string[],
    workspace?: string,
  ): Promise<Pick<CallOptions, "grants" | "flags">>;
  /** Runs a call so that prints of its tool are attributed to it. */
  isolatePrints<T>(call: () => T): T;
  /** Counts the calls. */
  tally: CallTally;
}

/** The calls of a worker. */
export class WorkerCalls {
  readonly #turns: Semaphore;
  readonly #running: RunningCalls;
  #waiting = 0;

  /** Takes what the calls are executed with. */
  constructor(readonly context: WorkerContext) {
    this.#turns = new Semaphore(context.jobs);
    this.#running = new RunningCalls(context.options, context.tally);
  }

  /** The number of calls that run or wait. */
  get count(): number {
    return this.#running.count;
  }

  /** Cancels the call with this user, batch and id, if it runs here. */
  cancel(key: string): void {
    this.#running.cancel(key);
  }

  /** Cancels all calls. */
  cancelAll(): void {
    this.#running.cancelAll();
  }

  /**
   * Executes a call that takes no time and that no header restricts. Returns `undefined` for any other,
   * which {@link execute} runs.
   */
  executeAtOnce(call: ToolCall, headers: CallHeaders): CallResult | undefined {
    const { narrow, deadline } = headers;
    if (narrow !== undefined || deadline !== undefined) return undefined;
    if (this.context.workspaces !== undefined) return undefined;
    const begun = performance.now();
    const result = this.context.quickCalls.runAtOnce(call);
    if (result !== undefined) this.context.tally.add(call.name, result, performance.now() - begun);
    return result;
  }

  /**
   * Executes a call. Every failure is a result. `onProgress` gets each line of progress. `begins` is
   * awaited when the call's turn has come. If it resolves to a result, the call does not run.
   */
  async execute(
    call: ToolCall,
    headers: CallHeaders,
    { onProgress, begins }: {
      onProgress?: (line: string) => void;
      begins?: () => Promise<CallResult | undefined>;
    } = {},
  ): Promise<CallResult> {
    return await this.#running.track(call, headers.key, async (stop) => {
      if (this.#waiting >= MAX_WAITING) throw overloaded();
      this.#waiting++;
      let isWaiting = true;
      const leave = () => {
        if (isWaiting) this.#waiting--;
        isWaiting = false;
      };
      try {
        return await this.#turns.run(async () => {
          leave();
          const before = await begins?.();
          if (before !== undefined) return before;
          refuseLate(call, headers);
          const run = (workspace?: string) =>
            this.#run(call, headers, { stop, workspace, ...(onProgress && { onProgress }) });
          return await (this.context.workspaces?.run(headers.workspace, stop, run) ?? run());
        }, stop.signal);
      } finally {
        leave();
      }
    });
  }

  /**
   * Runs a background task. Every failure is a result. It takes no turn, because many tasks wait for
   * most of their time. Its programs print into the file `output`.
   */
  async runTask(call: ToolCall, headers: CallHeaders, output: string): Promise<CallResult> {
    return await this.#running.track(call, headers.key, async (stop) => {
      refuseLate(call, headers);
      const options = await this.#optionsOf(headers);
      return await runTaskProcess(call, options, { output, signal: stop.signal });
    });
  }

  /** Returns the time limit of a background task. Rejects if the task cannot be started. */
  async checkTask(call: ToolCall, headers: CallHeaders): Promise<number> {
    const options = await this.#optionsOf(headers);
    using resources = new DisposableStack();
    const stop = new AbortController();
    const prepared = await prepareCall(call, options, { stop, resources, repairs: [] });
    const refusal = refusalOf(prepared);
    if (refusal !== undefined) throw refusal;
    return callPolicy(prepared, options).timeoutMs;
  }

  async #run(
    call: ToolCall,
    headers: CallHeaders,
    { stop, workspace, onProgress }: {
      stop: AbortController;
      workspace: string | undefined;
      onProgress?: (line: string) => void;
    },
  ): Promise<CallResult> {
    const { quickCalls, isolatePrints } = this.context;
    const isUsual = headers.narrow === undefined && workspace === undefined;
    const quick = isUsual ? await quickCalls.run(call) : undefined;
    if (quick !== undefined) return quick;
    await this.#refuseStaying(call, workspace);
    const options = await this.#optionsOf(headers, workspace);
    const { onStep } = options.listeners;
    const own: CallOptions = {
      ...options,
      listeners: {
        cancelSignal: () => stop.signal,
        ...(onStep && { onStep }),
        ...(onProgress && { onProgress }),
      },
      ask: { ...options.ask, client: refuseQuestions },
    };
    return await isolatePrints(() => executeCall(call, own));
  }

  /** The options of a call with these headers, in a workspace if there is one. */
  async #optionsOf(headers: CallHeaders, workspace?: string) {
    const { narrow: flags, session: given, trace } = headers;
    const { options, narrow } = this.context;
    const isUsual = flags === undefined && workspace === undefined;
    const narrowed = isUsual ? options : await narrow(flags ?? [], workspace);
    const place = workspace === undefined ? options.session : `in ${workspace}`;
    const session = remoteSession(headers.user ?? NO_USER, given ?? place);
    return {
      ...options,
      ...(workspace !== undefined && { cwd: workspace }),
      ...(trace !== undefined && { trace }),
      ...{ grants: narrowed.grants, session },
      // The calls that a tool makes belong to the session too. The last flag counts.
      flags: [...narrowed.flags, `--session=${session}`],
    };
  }

  /**
   * Rejects for a call that starts a background task here, where its caller could not find it, and
   * for one with a shell of a session, which callers of other users could reach.
   */
  async #refuseStaying(
    { name, arguments: args }: ToolCall,
    workspace: string | undefined,
  ): Promise<void> {
    const isForShell = args["session"] !== undefined;
    if (!asksForBackground(args) && !isForShell) return;
    const tool = await this.context.options.registry.get(name).load();
    if (isForShell && tool.metadata.shell === true) {
      const why = "a worker keeps no shell between calls";
      throw new CallError("unavailable", `Cannot use session: ${why}; omit session`);
    }
    if (!asksForBackground(args)) return;
    if (tool.metadata.background !== true) return;
    throw new CallError(
      "unavailable",
      workspace === undefined
        ? 'Background tasks need a worker with --durable, and "toolcall worker init" once'
        : "A background task cannot run in a workspace, because it would outlive its directory; " +
          "omit --workspace or run_in_background",
    );
  }
}

/** Throws `timeout` if the call's deadline has passed. */
function refuseLate({ name }: ToolCall, { deadline }: CallHeaders): void {
  if (deadline === undefined || performance.now() <= deadline) return;
  const message = `The call of ${quote(name)} was not started: its deadline had passed`;
  throw new CallError("timeout", message, { tool: name, started: false });
}

function overloaded(): CallError {
  const message = `This worker has ${MAX_WAITING} waiting calls; try again later`;
  return new CallError("unavailable", message, { passing: true, retryAfterMs: RETRY_MS });
}

function refuseQuestions(): Promise<never> {
  const message = "Cannot ask a person: the call runs on a worker; run it without --nats";
  return Promise.reject(new CallError("unavailable", message));
}

/** Executes the calls that reach a worker, under its flags and what the caller narrows. */

import { Semaphore } from "../../base/async/semaphore.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions, ToolCall } from "../call/call.ts";
import { executeCall, rejectCall } from "../call/execute.ts";
import type { CallResult } from "../call/failure.ts";
import type { QuickCalls } from "../call/quick_calls.ts";
import type { CallHeaders } from "./envelope.ts";
import type { CallTally } from "./call_tally.ts";
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
  readonly #running = new Map<string, AbortController>();
  readonly #active = new Set<AbortController>();
  #waiting = 0;
  #idle = Promise.withResolvers<void>();

  /** Takes what the calls are executed with. */
  constructor(readonly context: WorkerContext) {
    this.#turns = new Semaphore(context.jobs);
  }

  /** The number of calls that run or wait. */
  get count(): number {
    return this.#active.size;
  }

  /** Cancels the call with this user, batch and id, if it runs here. */
  cancel(key: string): void {
    this.#running.get(key)?.abort();
  }

  /** Cancels all calls. */
  cancelAll(): void {
    for (const controller of this.#active) controller.abort();
  }

  /** Resolves when no call runs. */
  async untilIdle(): Promise<void> {
    while (this.#active.size > 0) await this.#idle.promise;
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
    const { options, tally } = this.context;
    const stop = new AbortController();
    this.#active.add(stop);
    const { key } = headers;
    if (key !== undefined && !this.#running.has(key)) this.#running.set(key, stop);
    const begun = performance.now();
    let result: CallResult;
    try {
      if (this.#waiting >= MAX_WAITING) throw overloaded();
      this.#waiting++;
      let isWaiting = true;
      const leave = () => {
        if (isWaiting) this.#waiting--;
        isWaiting = false;
      };
      try {
        result = await this.#turns.run(async () => {
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
    } catch (error) {
      const cancelled = new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`);
      result = await rejectCall(stop.signal.aborted ? cancelled : error, options, call);
    }
    this.#active.delete(stop);
    if (key !== undefined && this.#running.get(key) === stop) this.#running.delete(key);
    tally.add(call.name, result, performance.now() - begun);
    if (this.#active.size === 0) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    }
    return result;
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
    const { options, quickCalls, narrow, isolatePrints } = this.context;
    const isUsual = headers.narrow === undefined && workspace === undefined;
    const quick = isUsual ? await quickCalls.run(call) : undefined;
    if (quick !== undefined) return quick;
    const { onStep } = options.listeners;
    const own: CallOptions = {
      ...options,
      ...(workspace !== undefined && { cwd: workspace, session: `in ${workspace}` }),
      ...(headers.session !== undefined && { session: headers.session }),
      ...(headers.trace !== undefined && { trace: headers.trace }),
      ...(!isUsual && await narrow(headers.narrow ?? [], workspace)),
      listeners: {
        cancelSignal: () => stop.signal,
        ...(onStep && { onStep }),
        ...(onProgress && { onProgress }),
      },
      ask: { ...options.ask, client: refuseQuestions },
    };
    return await isolatePrints(() => executeCall(call, own));
  }
}

/** Throws `timeout` if the call's deadline has passed. */
function refuseLate({ name }: ToolCall, { deadline }: CallHeaders): void {
  if (deadline === undefined || Date.now() <= deadline) return;
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

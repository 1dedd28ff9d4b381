/** The calls that a worker runs now: they count, and each can be cancelled. */

import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions, ToolCall } from "../call/call.ts";
import { rejectCall } from "../call/execute.ts";
import type { CallResult } from "../call/failure.ts";
import type { CallTally } from "./call_tally.ts";

/** Keeps the calls of a worker while they run or wait. */
export class RunningCalls {
  readonly #byKey = new Map<string, AbortController>();
  readonly #active = new Set<AbortController>();

  /** Takes the options of the calls, and what counts them. */
  constructor(readonly options: CallOptions, readonly tally: CallTally) {}

  /** The number of calls that run or wait. */
  get count(): number {
    return this.#active.size;
  }

  /** Cancels the call with this user, batch and id, if it is here. */
  cancel(key: string): void {
    this.#byKey.get(key)?.abort();
  }

  /** Cancels all calls. */
  cancelAll(): void {
    for (const controller of this.#active) controller.abort();
  }

  /**
   * Runs what executes a call, and counts it. The call can be cancelled by its key: the user, the batch
   * and the id. Never rejects.
   */
  async track(
    call: ToolCall,
    key: string | undefined,
    run: (stop: AbortController) => Promise<CallResult>,
  ): Promise<CallResult> {
    const stop = new AbortController();
    this.#active.add(stop);
    if (key !== undefined && !this.#byKey.has(key)) this.#byKey.set(key, stop);
    const begun = performance.now();
    let result: CallResult;
    try {
      result = await run(stop);
    } catch (error) {
      const cancelled = new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`);
      result = await rejectCall(stop.signal.aborted ? cancelled : error, this.options, call);
    }
    this.#active.delete(stop);
    if (key !== undefined && this.#byKey.get(key) === stop) this.#byKey.delete(key);
    this.tally.add(call.name, result, performance.now() - begun);
    return result;
  }
}

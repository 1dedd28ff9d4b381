import type { CallResult } from "../call/failure.ts";
import type { QuickResult } from "../call/quick_calls.ts";
import type { IncomingCall } from "../call/call.ts";

/** Executes submitted calls, in this process or elsewhere. */
export interface CallRunner {
  /**
   * Executes one call. Each failure is a result, also the failure of a call that could not be read.
   * Aborting `signal` cancels the call. Never rejects.
   */
  execute(call: IncomingCall, signal: AbortSignal): Promise<CallResult>;
  /** Resolves when `executeQuickly` knows calls such as this one. Never rejects. */
  prepare(call: IncomingCall): Promise<void> | undefined;
  /**
   * Executes a call that is over soon, after {@link prepare}. Returns, or resolves to, `undefined` for
   * a call that has to be executed by `execute`. Several such calls may wait for each other. Never
   * rejects.
   */
  executeQuickly(call: IncomingCall): QuickResult | Promise<QuickResult>;
}

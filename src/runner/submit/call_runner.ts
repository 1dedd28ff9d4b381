import type { CallResult } from "../call/failure.ts";
import type { QuickResult } from "../call/short_reads.ts";
import type { IncomingCall, ToolCall } from "../call/call.ts";
import type { LineAnswers } from "../sandbox/executors/reader.ts";
import type { InputLine } from "./input_line.ts";
import type { SubmitId } from "./submitted_line.ts";

/** Executes submitted calls, in this process or elsewhere. */
export interface CallRunner {
  /**
   * Executes one call. Each failure is a result, also the failure of a call that could not be read.
   * Aborting `signal` cancels the call. `id` is the id of its result. Never rejects.
   */
  execute(call: IncomingCall, signal: AbortSignal, id: SubmitId): Promise<CallResult>;
  /** Executes a call that takes no time, after {@link prepare}. Returns `undefined` for any other. */
  executeAtOnce(call: ToolCall): QuickResult;
  /** Resolves when `executeQuickly` knows calls such as this one. Never rejects. */
  prepare(call: IncomingCall): Promise<void> | undefined;
  /**
   * Executes a call that is over soon, after {@link prepare}. Returns, or resolves to, `undefined` for
   * a call that has to be executed by `execute`. Several such calls may wait for each other. Never
   * rejects.
   */
  executeQuickly(call: IncomingCall): QuickResult | Promise<QuickResult>;
  /**
   * Executes a call that is expected to be over soon, elsewhere and together with others. Returns
   * `undefined` for any other call. `id` is the id of its result. Never rejects.
   */
  executeSoon?(call: ToolCall, id: SubmitId): Promise<CallResult> | undefined;
  /**
   * Answers the first `count` of these lines in another thread, with the duration of each call if
   * `isTimed`. Returns `undefined` if no thread has room. A line without a result has to be answered
   * in another way. Never rejects.
   */
  answerLines?(
    lines: readonly InputLine[],
    isTimed: boolean,
  ): { count: number; answers: Promise<LineAnswers> } | undefined;
  /** The answers of `answerLines` that wait to be received, if there are any. */
  sentAnswers?(): Promise<LineAnswers> | undefined;
  /** Ends the waiting for the calls of `executeSoon`. */
  stop?(): void;
}

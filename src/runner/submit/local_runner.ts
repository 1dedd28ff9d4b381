import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions } from "../call/call.ts";
import type { QuickCalls } from "../call/quick_calls.ts";
import { executeCall, rejectCall } from "../call/execute.ts";
import type { TakePrint } from "../sandbox/executors/prints.ts";
import type { CallRunner } from "./call_runner.ts";
import type { LineThreads } from "./line_thread.ts";

/**
 * Runs calls in this process, which `options` describe as one that executes many calls.
 * `isolatePrints` runs a call so that the prints of its tool are attributed to it. `onProgress` gets each
 * line of progress of a call.
 */
export function localRunner(
  options: CallOptions,
  { quickCalls, threads, isolatePrints, onPrint, onProgress }: {
    quickCalls: QuickCalls;
    threads: LineThreads;
    isolatePrints<T>(call: () => T): T;
    onPrint: TakePrint;
    onProgress?(line: string): void;
  },
): CallRunner {
  const shared: CallOptions = { ...options, ask: { ...options.ask, client: refuseQuestions } };
  return {
    prepare(incoming) {
      return "failure" in incoming ? undefined : quickCalls.prepare(incoming.call.name);
    },
    answerLines(lines, isTimed) {
      // Looking for patches asks the system, so it comes last.
      const canHelp = threads.hasRoomFor(lines.length) && !quickCalls.mayHavePatches();
      return canHelp ? threads.answer(lines, isTimed) : undefined;
    },
    sentAnswers: () => threads.sent,
    executeAtOnce: (call) => quickCalls.runAtOnce(call),
    executeQuickly(incoming) {
      return "failure" in incoming ? undefined : quickCalls.run(incoming.call);
    },
    execute(incoming, signal) {
      if ("failure" in incoming) return rejectCall(incoming.failure, shared);
      const { call } = incoming;
      if (signal.aborted) {
        const message = `The call of ${quote(call.name)} was cancelled`;
        return rejectCall(new CallError("cancelled", message), shared, call);
      }
      const { onStep } = shared.listeners;
      const listeners = {
        ...{ cancelSignal: () => signal, onPrint },
        ...(onStep && { onStep }),
        ...(onProgress && { onProgress }),
      };
      return isolatePrints(() => executeCall(call, { ...shared, listeners }));
    },
  };
}

/** Calls that run at the same time would all ask on one terminal. */
function refuseQuestions(): Promise<never> {
  return Promise.reject(
    new CallError(
      "unavailable",
      'Cannot ask the user: "submit" runs several calls at once; use ' +
        "--ask=exec:PROGRAM, or run this call on its own",
    ),
  );
}

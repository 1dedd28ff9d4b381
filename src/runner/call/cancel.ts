import { cancellationText } from "../../base/async/interruption.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";

/** The signals that end a call. */
export const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** A caller that can cancel its call. */
export interface Cancellable {
  /**
   * Returns the signal that is aborted when the caller cancels. From the first call of this
   * function on, a signal of the operating system aborts it and no longer ends the process.
   */
  cancelSignal(): AbortSignal;
}

/**
 * Aborts `stop` when the caller cancels. From now on a signal of the operating system does not end
 * this process at once, because the call has to end first. Do not use it for a quick call that only
 * reads: the signal may end the process at once.
 */
export function cancelOnSignal(caller: Cancellable, stop: AbortController): void {
  const signal = caller.cancelSignal();
  if (signal.aborted) stop.abort();
  else signal.addEventListener("abort", () => stop.abort(), { once: true });
}

/** The failure of a call that its caller has cancelled. It says why, if the caller does. */
export function callerCancelled(
  name: string,
  caller: Cancellable,
  details: Record<string, unknown> = {},
): CallError {
  const reason = cancellationText(caller.cancelSignal().reason);
  const text = `Cancelled ${quote(name)}: ${reason}`;
  return new CallError("cancelled", text, { ...details, tool: name, reason });
}

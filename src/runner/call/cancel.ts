/** What a caller can cancel. */
export interface Cancellable {
  /**
   * Returns the signal that is aborted when the caller cancels. From the first call of this
   * function on, a signal of the system aborts it and does not end the process any more.
   */
  cancelSignal(): AbortSignal;
}

/**
 * Aborts `stop` when the caller cancels. From then on a signal of the system does not end this
 * process at once, because the call has to end first. A quick call that only reads needs no such
 * end: without this function the signal ends the process.
 */
export function cancelOnSignal(caller: Cancellable, stop: AbortController): void {
  const signal = caller.cancelSignal();
  if (signal.aborted) stop.abort();
  else signal.addEventListener("abort", () => stop.abort(), { once: true });
}

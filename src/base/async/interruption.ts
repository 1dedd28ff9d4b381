/** Why the signal of a call was aborted; the call's runner names the reason of a time limit. */
export function interruptionOf({ reason }: AbortSignal): "timeout" | "cancelled" {
  return reason?.name === "TimeoutError" ? "timeout" : "cancelled";
}

/**
 * The error of a search that was stopped before its end, with the `text` of what it found until
 * then. `attempt` begins the message, and `advice` says how the time limit could be met.
 */
export function partialResult(
  attempt: string,
  { signal, advice, total, text }: {
    signal: AbortSignal;
    advice: string;
    total: number;
    text: () => string;
  },
): Error {
  const why = interruptionOf(signal) === "timeout"
    ? `the time limit passed; ${advice}`
    : "the call was cancelled";
  const partial = total > 0 ? `Found until then:\n\n${text()}` : "Nothing was found until then";
  return new Error(`${attempt}: ${why}. ${partial}`, { cause: { found: total } });
}

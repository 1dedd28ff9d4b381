/** Why the signal of a call was aborted; the call's runner names the reason of a time limit. */
export function interruptionOf({ reason }: AbortSignal): "timeout" | "cancelled" {
  return reason?.name === "TimeoutError" ? "timeout" : "cancelled";
}

/** Why a call was stopped before its tool was done. */
export type Interruption = "timeout" | "cancelled";

/** Why the signal of a call was aborted; the call's runner names the reason of a time limit. */
export function interruptionOf({ reason }: AbortSignal): Interruption {
  return reason?.name === "TimeoutError" ? "timeout" : "cancelled";
}

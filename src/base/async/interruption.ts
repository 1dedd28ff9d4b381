import { oneLine } from "../text/one_line.ts";

/** Why the signal of a call was aborted; the call's runner names the reason of a time limit. */
export function interruptionOf({ reason }: AbortSignal): "timeout" | "cancelled" {
  return reason?.name === "TimeoutError" ? "timeout" : "cancelled";
}

/** The longest shown reason of a caller, in characters. */
const MAX_SHOWN = 200;

/** The reason of a signal that is aborted because this process has to end. `why` is a clause. */
export function endOfProcess(why: string): DOMException {
  return Object.assign(new DOMException(why, "AbortError"), { endsProcess: true });
}

/** Why a call was cancelled, in words. `reason` is that of the signal of the caller. */
export function cancellationText(reason: unknown): string {
  const isError = reason instanceof Error || reason instanceof DOMException;
  if (isError && "endsProcess" in reason) return reason.message;
  const isUsual = isError && /^(Abort|Timeout)Error$/.test(reason.name);
  const said = isUsual ? "" : isError ? reason.message : typeof reason === "string" ? reason : "";
  return `the caller aborted it${said.trim() === "" ? "" : ` (${oneLine(said, MAX_SHOWN)})`}`;
}

import type { InnerCall } from "../registry/services.ts";
import { ownCall } from "../sandbox/executors/own_call.ts";
import type { Settings } from "./call.ts";
import type { CallResult } from "./failure.ts";

/**
 * Answers a call in a process of its own, under the same flags. Aborting `signal` cancels it
 * there. Throws the signal's reason, or `unavailable`, when no answer comes.
 */
export async function answerElsewhere(
  call: InnerCall,
  settings: Settings,
  signal: AbortSignal,
): Promise<CallResult> {
  if (settings.audit === undefined) return await elsewhere(call, settings, signal);
  const { audited } = await import("../audit/audit.ts");
  const { session = settings.session } = call;
  return await audited(call, { ...settings, session }, () => elsewhere(call, settings, signal));
}

async function elsewhere(
  { session = "", ...call }: InnerCall,
  { flags, programFolder, isBundled, onPrint }: Settings,
  signal: AbortSignal,
): Promise<CallResult> {
  signal.throwIfAborted();
  const own = [...flags, ...(session === "" ? [] : [`--session=${session}`])];
  const program = { flags: own, programFolder, isBundled, ...(onPrint && { onPrint }) };
  const result = await ownCall(call, program, signal);
  return result as unknown as CallResult;
}

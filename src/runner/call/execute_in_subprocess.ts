import type { InnerCall } from "../registry/services.ts";
import { ownCall } from "../sandbox/executors/own_call.ts";
import type { CallOptions } from "./call.ts";
import type { CallResult } from "./failure.ts";

/**
 * Answers a call in a process of its own, under the same flags. Aborting `signal` cancels it
 * there. Throws the signal's reason, or `unavailable`, when no answer comes.
 */
export async function executeInSubprocess(
  call: InnerCall,
  settings: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  if (settings.audit === undefined) return await inSubprocess(call, settings, signal);
  const { audited } = await import("../audit/audit.ts");
  const { session = settings.session } = call;
  return await audited(call, { ...settings, session }, () => inSubprocess(call, settings, signal));
}

async function inSubprocess(
  { session = "", ...call }: InnerCall,
  { flags, program, listeners: { onPrint } }: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  signal.throwIfAborted();
  const own = [...flags, ...(session === "" ? [] : [`--session=${session}`])];
  const options = { flags: own, program, ...(onPrint && { onPrint }) };
  const result = await ownCall(call, options, signal);
  return result as unknown as CallResult;
}

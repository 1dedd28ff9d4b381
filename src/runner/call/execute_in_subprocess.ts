import type { InnerCall } from "../registry/services.ts";
import { ownCall } from "../sandbox/executors/subprocess.ts";
import type { CallOptions } from "./call.ts";
import type { CallResult } from "./failure.ts";

/**
 * Executes a call in a subprocess of this program with the same flags. Aborting `signal` cancels
 * the call. Throws the signal's reason, or `unavailable` if no result comes.
 */
export async function executeInSubprocess(
  call: InnerCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  if (options.audit === undefined) return await inSubprocess(call, options, signal);
  const { auditCall } = await import("../audit/audit.ts");
  const { session = options.session } = call;
  return await auditCall(call, { ...options, session }, () => inSubprocess(call, options, signal));
}

async function inSubprocess(
  { session = "", ...call }: InnerCall,
  { flags, program, listeners: { onPrint } }: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  signal.throwIfAborted();
  const own = [...flags, ...(session === "" ? [] : [`--session=${session}`])];
  return await ownCall(call, { flags: own, program, ...(onPrint && { onPrint }) }, signal);
}

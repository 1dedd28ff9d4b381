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
  const { session = "", ...asked } = call;
  const { program, listeners: { onPrint } } = options;
  const run = async () => {
    signal.throwIfAborted();
    const flags = [...options.flags, ...(session === "" ? [] : [`--session=${session}`])];
    return await ownCall(asked, { flags, program, ...(onPrint && { onPrint }) }, signal);
  };
  if (options.audit === undefined) return await run();
  const { auditCall } = await import("../audit/audit.ts");
  return await auditCall(call, { ...options, session: call.session ?? options.session }, run);
}

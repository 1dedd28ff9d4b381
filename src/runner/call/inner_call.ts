/** The calls that a tool makes, such as those of an agent. */

import { shownContent } from "../../base/shown_content.ts";
import type { InnerCall, InnerResult } from "../registry/services.ts";
import { ownCall } from "../sandbox/executors/subprocess.ts";
import { sessionOfSameUser } from "../state/remote_session.ts";
import type { CallOptions } from "./call.ts";
import type { CallResult } from "./failure.ts";

/**
 * Executes a call that a tool makes, with the flags of the call of that tool. Throws the signal's reason
 * if the call is cancelled, and `unavailable` if no result comes.
 */
export async function innerCall(
  call: InnerCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<InnerResult> {
  const result = await executeInSubprocess(call, options, signal);
  signal.throwIfAborted();
  return { content: shownContent(result), isError: result.isError };
}

/**
 * Executes a call in a subprocess of this program with the same flags. Aborting `signal` cancels
 * the call. Throws the signal's reason, or `unavailable` if no result comes.
 */
async function executeInSubprocess(
  call: InnerCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  const { session: named = "", ...asked } = call;
  const session = named === "" ? "" : sessionOfSameUser(options.session, named);
  const { program, listeners: { onPrint } } = options;
  const run = async () => {
    signal.throwIfAborted();
    const flags = [...options.flags, ...(session === "" ? [] : [`--session=${session}`])];
    return await ownCall(asked, { flags, program, ...(onPrint && { onPrint }) }, signal);
  };
  if (options.audit === undefined) return await run();
  const { auditCall } = await import("../audit/audit.ts");
  return await auditCall(call, { ...options, session: session || options.session }, run);
}

import type { CallOptions, ToolCall } from "./call.ts";
import { type CallResult, failureOf, failureResult } from "./failure.ts";

/**
 * The result of a call, or of what should have been one, that failed before it could be
 * answered, with its line in the log where one is kept. Never rejects.
 */
export async function refused(
  error: unknown,
  settings: CallOptions,
  call: Partial<ToolCall> = {},
): Promise<CallResult> {
  const result = failureResult(failureOf(error));
  if (settings.audit === undefined || settings.auditedByParent) return result;
  const { audited } = await import("../audit/audit.ts");
  return await audited(call, settings, () => Promise.resolve(result));
}

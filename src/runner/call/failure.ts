import type { JsonId } from "../../base/json/inexact_number.ts";
import { interruptionOf } from "../../base/async/interruption.ts";
import { CallError, type FailureCode } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { AuditDetails } from "../audit/audit_line.ts";
import type { ContentBlock } from "../../base/content.ts";
import { shortageOf } from "../../base/shortage.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import type { ShellReport } from "../registry/tool_context.ts";
import type { ExecutorOutput } from "../sandbox/executors/executor.ts";
import type { Repair } from "./call.ts";
import { callerCancelled, type Cancellable } from "./cancel.ts";

/** The exit code of each kind of failure. */
export const exitCodes: Readonly<Record<FailureCode, number>> = {
  tool_failed: 1,
  malformed_call: 3,
  tool_not_found: 4,
  invalid_arguments: 5,
  permission_denied: 6,
  timeout: 7,
  cancelled: 7,
  interrupted: 7,
  unavailable: 8,
  internal: 70,
};

/** The result of a call, in the form of MCP's `CallToolResult`. */
export interface CallResult {
  /** The result for the model. */
  content: ContentBlock[];
  /** Whether the call failed. */
  isError: boolean;
  /** The same result as data, if the tool declares an `outputSchema`. */
  structuredContent?: Record<string, unknown>;
  /** Data for programs, under keys that start with `toolcall/`. */
  _meta?: {
    /** The error code and its details. */
    "toolcall/error"?: { code: FailureCode } & Record<string, unknown>;
    /** The background task that the call became. */
    "toolcall/task"?: { id: string; timeoutMs: number; outputFile?: string };
    /** The command lines of the programs that still ran when the command ended, and were ended. */
    "toolcall/ended"?: readonly string[];
    /** The shell that ran the command, and what became of it. */
    "toolcall/shell"?: ShellReport;
    /** The accesses that the runtime refused the tool, if `try` runs it. */
    "toolcall/undeclared"?: readonly string[];
    /** The repairs of the call, in order. */
    "toolcall/repaired"?: readonly Repair[];
    /** The arguments that the tool accepts but does not use. */
    "toolcall/ignored"?: readonly string[];
    /** The fields of the structured data that were too large, as JSON pointers. */
    "toolcall/omitted"?: readonly string[];
    /** The number of retries before the call succeeded. */
    "toolcall/retries"?: number;
    /** The id of the call in its dialect. */
    "toolcall/call"?: { id: JsonId };
    /** The audit details from a subprocess. `audit.ts` adds them there and removes them here. */
    "toolcall/audit"?: AuditDetails;
  };
}

/** Turns a thrown value into a failure. An error of an unknown class is a bug: `internal`. */
export function failureOf(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const shortage = shortageOf(error);
  if (shortage !== undefined) {
    // A missing resource is no bug in toolcall.
    return new CallError("unavailable", `Cannot continue: ${text}; ${shortage}`);
  }
  return new CallError("internal", `Internal error: ${text}; please report this bug in toolcall`);
}

/** Returns the result that reports a failure. */
export function failureResult(failure: CallError): CallResult {
  const { code, message, details } = failure;
  // A program finds the problem of invalid arguments in one place, whoever refused them.
  const isUnplaced = code === "invalid_arguments" && details["problems"] === undefined;
  const problems = isUnplaced && { problems: [{ path: "/", message }], problemCount: 1 };
  return {
    content: failure.content ?? [{ type: "text", text: message }],
    isError: true,
    _meta: { "toolcall/error": { ...details, ...problems, code } },
  };
}

/** Returns the result of a call with this output. */
export function resultOf(output: ExecutorOutput): CallResult {
  if (typeof output === "string") {
    return { content: [{ type: "text", text: output }], isError: false };
  }
  if (Array.isArray(output)) return { content: output, isError: false };
  const { content, structuredContent } = output;
  return {
    ...resultOf(content),
    ...(structuredContent !== undefined && { structuredContent }),
    ...("meta" in output && { _meta: output.meta }),
  };
}

/**
 * Whether a subprocess has already reported the interruption. It does not know why its caller has
 * cancelled: a report that only has its own reason says nothing.
 */
export function isInterruption(error: unknown): boolean {
  return error instanceof CallError && (error.code === "timeout" ||
    error.code === "cancelled" && error.details["reason"] === undefined);
}

/** The failure of a call that was stopped, with the tool's own message if it has one. */
export function interruptedCall(
  error: unknown,
  name: string,
  { signal, limit, caller }: { signal: AbortSignal; limit: number; caller: Cancellable },
): CallError {
  const said = error instanceof CallError && error.code === "tool_failed" ? error : undefined;
  const own = said !== undefined && said.message !== signal.reason.message
    ? said.message
    : undefined;
  if (interruptionOf(signal) === "timeout") {
    const text = own ?? `Cannot finish ${quote(name)} within ${limit} ms`;
    return new CallError("timeout", text, { ...said?.details, tool: name, timeoutMs: limit });
  }
  if (own === undefined) return callerCancelled(name, caller, said?.details);
  return new CallError("cancelled", own, { ...said?.details, tool: name });
}

/** Adds the repairs of a call to its result. */
export function withRepairs(result: CallResult, repairs: readonly Repair[]): CallResult {
  if (repairs.length === 0) return result;
  return { ...result, _meta: { ...result._meta, "toolcall/repaired": repairs } };
}

/** Adds the names of the arguments that the tool accepts but does not use to a result. */
export function withIgnored(
  result: CallResult,
  { ignores = [] }: ToolMetadata,
  args: Record<string, unknown>,
  before: readonly string[] = [],
): CallResult {
  const ignored = [...before, ...ignores.filter((key) => Object.hasOwn(args, key))];
  if (ignored.length === 0) return result;
  return { ...result, _meta: { ...result._meta, "toolcall/ignored": ignored } };
}

/** Returns the exit code for a result. */
export function exitCodeOf(result: CallResult): number {
  const code = result._meta?.["toolcall/error"]?.code;
  return code === undefined ? 0 : exitCodes[code];
}

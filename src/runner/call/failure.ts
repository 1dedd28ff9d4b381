import { CallError, type FailureCode } from "../../base/errors.ts";
import type { AuditDetails } from "../audit/audit_line.ts";
import type { ContentBlock } from "../../base/content.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import type { Repair } from "./call.ts";

/** The exit code of each kind of failure. */
export const exitCodes: Readonly<Record<FailureCode, number>> = {
  tool_failed: 1,
  malformed_call: 3,
  tool_not_found: 4,
  invalid_arguments: 5,
  permission_denied: 6,
  timeout: 7,
  cancelled: 7,
  unavailable: 8,
  internal: 70,
};

/** MCP's CallToolResult: what the program writes for a call. */
export interface CallResult {
  /** What a model reads. */
  content: ContentBlock[];
  /** Whether the call failed. */
  isError: boolean;
  /** The same as data, for a tool that declares its `outputSchema`. */
  structuredContent?: Record<string, unknown>;
  /** Data for programs, under keys that start with `toolcall/`. */
  _meta?: {
    /** What failed. */
    "toolcall/error"?: { code: FailureCode } & Record<string, unknown>;
    /** The background task that the call became. */
    "toolcall/task"?: { id: string; timeoutMs: number; outputFile: string };
    /** The command lines of programs that a command left running and that were ended with it. */
    "toolcall/ended"?: readonly string[];
    /** What was repaired in the call, in order. */
    "toolcall/repaired"?: readonly Repair[];
    /** The arguments that were accepted and not used. */
    "toolcall/ignored"?: readonly string[];
    /** The fields of the structured data that were too large, as JSON pointers. */
    "toolcall/omitted"?: readonly string[];
    /** How often the call was tried again before it succeeded. */
    "toolcall/retries"?: number;
    /** What names the call in the dialect that it came in. */
    "toolcall/call"?: { id: string };
    /** What a process of ours tells the one that waits for it, which takes it out. */
    "toolcall/audit"?: AuditDetails;
  };
}

/**
 * The system's errors for a shortage, by their numbers: processes,
 * memory, open files, space, a disk that can be written. No change of toolcall would help.
 */
const SHORTAGE = /\(os error (11|12|23|24|27|28|30|122)\)/;

/** Turns any throw into the failure it is: one that is none of ours is a bug. */
export function failureOf(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (SHORTAGE.test(text)) return new CallError("unavailable", `Cannot go on: ${text}`);
  return new CallError("internal", `Internal error: ${text}; please report it`);
}

/** A failure as the result that a caller gets. */
export function failureResult(failure: CallError): CallResult {
  return {
    content: failure.content ?? [{ type: "text", text: failure.message }],
    isError: true,
    _meta: { "toolcall/error": { ...failure.details, code: failure.code } },
  };
}

/** A result that says what was repaired in its call, if anything was. */
export function withRepairs(result: CallResult, repairs: readonly Repair[]): CallResult {
  if (repairs.length === 0) return result;
  return { ...result, _meta: { ...result._meta, "toolcall/repaired": repairs } };
}

/** A result that names the arguments which the tool accepted and did not use, if there are any. */
export function withIgnored(
  result: CallResult,
  { ignores = [] }: ToolMetadata,
  args: Record<string, unknown>,
): CallResult {
  const ignored = ignores.filter((key) => Object.hasOwn(args, key));
  if (ignored.length === 0) return result;
  return { ...result, _meta: { ...result._meta, "toolcall/ignored": ignored } };
}

/** The exit code that goes with a result. */
export function exitCodeOf(result: CallResult): number {
  const code = result._meta?.["toolcall/error"]?.code;
  return code === undefined ? 0 : exitCodes[code];
}

import type { Policy, RateLimit, SideEffect } from "../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../registry/registered_tool.ts";
import type { CallOptions, Prepared } from "./call.ts";

/** The time limit of a tool that declares no limit, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** The longest time that a timer accepts, in milliseconds: 24 days. */
const MAX_MS = 2 ** 31 - 1;

/** The side effects of calls that can be repeated without harm. */
export const HARMLESS_EFFECTS: readonly SideEffect[] = ["none", "read_only", "network"];

/** The time limit, retries and rate limit of one call. */
export interface CallPolicy {
  /** The time limit of all its attempts together, in milliseconds. */
  timeoutMs: number;
  /** The most retries after failures that may pass. */
  maxRetries: number;
  /** The rate limit of its tool. */
  rateLimit?: RateLimit;
}

/** Returns the rate limit of a tool: the configured one, or else the declared one. */
export function rateLimitOf(
  { metadata }: RegisteredTool,
  options: CallOptions,
): RateLimit | undefined {
  return options.policyOf?.(metadata.name).rateLimit ?? metadata.rateLimit;
}

/**
 * Returns the policy of a call. The configuration overrides the tool's declaration. If the arguments
 * choose the time limit, the configured limit is its maximum.
 */
export function callPolicy(
  { tool, definition, args }: Pick<Prepared, "tool" | "definition" | "args">,
  options: CallOptions,
): CallPolicy {
  const { metadata } = tool;
  const configured: Policy = options.policyOf?.(metadata.name) ?? {};
  const { timeoutMs: declared = DEFAULT_TIMEOUT_MS } = definition;
  const timeoutMs = typeof declared === "number"
    ? configured.timeoutMs ?? declared
    : Math.min(declared(args), configured.timeoutMs ?? MAX_MS);
  const rateLimit = rateLimitOf(tool, options);
  return {
    timeoutMs: Math.min(timeoutMs, MAX_MS),
    maxRetries: mayRepeat(metadata) ? configured.maxRetries ?? metadata.maxRetries ?? 0 : 0,
    ...(rateLimit !== undefined && { rateLimit }),
  };
}

/** Whether a call can be repeated without harm, and in the same process. */
function mayRepeat({ sideEffect, idempotent, permissionKinds }: ToolMetadata): boolean {
  // The sandbox for programs is entered once and cannot be left.
  if (permissionKinds.includes("run")) return false;
  return idempotent === true || HARMLESS_EFFECTS.includes(sideEffect);
}

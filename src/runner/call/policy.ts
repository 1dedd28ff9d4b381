import type { Policy, RateLimit, SideEffect } from "../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../registry/registered_tool.ts";
import type { CallOptions, Prepared } from "./call.ts";

/** A tool's time limit where it declares none, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** The longest time that a timer takes, in milliseconds: 24 days. */
const MAX_MS = 2 ** 31 - 1;

/** The side effects of calls that leave the world as it was, however often they are made. */
const HARMLESS: readonly SideEffect[] = ["none", "read_only", "network"];

/** How one call is treated. */
export interface CallPolicy {
  /** Its time limit in milliseconds, with all its tries. */
  timeoutMs: number;
  /** How often it is tried again at most, when it failed in a way that may pass. */
  maxRetries: number;
  /** How many calls of its tool may begin. */
  rateLimit?: RateLimit;
}

/** How many calls of a tool may begin: as the configuration says, else as it declares. */
export function rateLimitOf(
  { metadata }: RegisteredTool,
  settings: CallOptions,
): RateLimit | undefined {
  return settings.policyOf?.(metadata.name).rateLimit ?? metadata.rateLimit;
}

/**
 * How a call is treated: what the configuration says comes before what the tool declares. Of a
 * tool whose arguments choose the time limit, the configured one is the most that it may be.
 */
export function callPolicy(
  { tool, definition, args }: Pick<Prepared, "tool" | "definition" | "args">,
  settings: CallOptions,
): CallPolicy {
  const { metadata } = tool;
  const configured: Policy = settings.policyOf?.(metadata.name) ?? {};
  const { timeoutMs: declared = DEFAULT_TIMEOUT_MS } = definition;
  const timeoutMs = typeof declared === "number"
    ? configured.timeoutMs ?? declared
    : Math.min(declared(args), configured.timeoutMs ?? MAX_MS);
  const rateLimit = rateLimitOf(tool, settings);
  return {
    timeoutMs: Math.min(timeoutMs, MAX_MS),
    maxRetries: mayRepeat(metadata) ? configured.maxRetries ?? metadata.maxRetries ?? 0 : 0,
    ...(rateLimit !== undefined && { rateLimit }),
  };
}

/** Whether a call can be made twice: without harm, and in one process. */
function mayRepeat({ sideEffect, idempotent, permissionKinds }: ToolMetadata): boolean {
  // The walls around programs are entered once, and for good.
  if (permissionKinds.includes("run")) return false;
  return idempotent === true || HARMLESS.includes(sideEffect);
}

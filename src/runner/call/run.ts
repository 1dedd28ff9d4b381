import { CallError } from "../../base/errors.ts";
import { settlesWithinMicrotasks } from "../../base/async/microtasks.ts";
import { isRetryable } from "../../base/retryable.ts";
import type { Policy, RateLimit, SideEffect } from "../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../registry/registered_tool.ts";
import type { Executor, ExecutorOutput, Serve } from "../sandbox/executors/executor.ts";
import type { CallOptions, Listeners, Prepared } from "./call.ts";
import { cancelOnSignal } from "./cancel.ts";
import { type CallResult, interruptedCall, isInterruption, resultOf } from "./failure.ts";
import type { RetryOptions, Tried } from "./retry.ts";

/** The time limit of a tool that declares no limit, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** The longest time that a timer accepts, in milliseconds: 24 days. */
const MAX_MS = 2 ** 31 - 1;

/** The side effects of calls that can be repeated without harm. */
export const HARMLESS_EFFECTS: readonly SideEffect[] = ["none", "read_only", "network"];

/** The time that a tool has to end after its signal is aborted, in milliseconds. */
const GRACE_MS = 2_500;

/**
 * The same for a tool that starts programs. Thousands of processes take seconds to end on a busy
 * machine. The output so far would be lost if the call did not wait for them.
 */
const PROGRAMS_GRACE_MS = 20_000;

/** How much longer an executor may take that enforces the time limit itself, in milliseconds. */
const SLACK_MS = PROGRAMS_GRACE_MS + 5_000;

/**
 * Runs a call that was authorised. If it fails in a way that may pass, it is tried again as often
 * as its policy says. Throws {@link CallError}. After the time limit or a cancellation it waits for
 * the tool to end, for a grace period, before it throws.
 */
export async function runPrepared(
  prepared: Prepared,
  executor: Executor,
  { options, stop, serve }: { options: CallOptions; stop: AbortController; serve: Serve },
): Promise<CallResult> {
  const { tool, args, paths, writes, hosts } = prepared;
  const { cwd, grants, listeners, memoryDirectory } = options;
  const { timeoutMs: limit, maxRetries } = callPolicy(prepared, options);
  const { name, permissionKinds } = tool.metadata;
  const graceMs = permissionKinds.includes("run") ? PROGRAMS_GRACE_MS : GRACE_MS;
  const job = {
    ...{ tool: name, args, paths, writes, cwd, grants, hosts },
    ...(memoryDirectory !== undefined && { memoryDirectory }),
    background: options.output !== undefined,
    isFollowed: listeners.onProgress !== undefined,
    structured: options.structured === true,
  };
  const time = timeLimit(
    executor.enforcesTimeout ? limit + SLACK_MS : limit,
    options.pool !== undefined || options.embedded === true,
  );
  try {
    stop.signal.throwIfAborted();
    const running = {
      signal: stop.signal,
      serve,
      onPrint: listeners.onPrint,
      onOutput: listeners.onOutput,
    };
    const work = attempts(() => executor.run(job, running), {
      // A subprocess does its own retries: do not retry around it.
      maxRetries: executor.enforcesTimeout ? 0 : maxRetries,
      endsAt: performance.now() + limit,
      signal: stop.signal,
    });
    // No timer and no signal could interrupt work that waits for nothing, so it has neither.
    const { output, retries } = await settlesWithinMicrotasks(work)
      ? await work
      : await Promise.race([
        work,
        interruption(stop, { time: time.signal(), limit, graceMs, listeners }),
      ]);
    const result = resultOf(output);
    return retries === 0 ? result : { ...result, _meta: { "toolcall/retries": retries } };
  } catch (error) {
    if (!stop.signal.aborted || executor.enforcesTimeout && isInterruption(error)) throw error;
    throw interruptedCall(error, name, { signal: stop.signal, limit, caller: listeners });
  } finally {
    time.clear();
  }
}

/** Makes the first attempt, and retries after a failure that may pass. */
async function attempts(
  attempt: () => Promise<ExecutorOutput>,
  options: RetryOptions,
): Promise<Tried> {
  try {
    return { output: await attempt(), retries: 0 };
  } catch (error) {
    const { maxRetries, signal } = options;
    if (maxRetries === 0 || signal.aborted || !(error instanceof CallError)) throw error;
    // A subprocess has already retried it: `details.retries` has the number.
    if (!isRetryable(error.details) || error.details["retries"] !== undefined) throw error;
    const { tryAgain } = await import("./retry.ts");
    return await tryAgain(attempt, error, options);
  }
}

/** A time limit in milliseconds that starts with `signal` and ends with `clear`. */
function timeLimit(ms: number, isOneOfMany: boolean): { signal(): AbortSignal; clear(): void } {
  // The first timer of a process costs milliseconds, and one call ends with its process anyway.
  if (!isOneOfMany) return { signal: () => AbortSignal.timeout(ms), clear() {} };
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    signal() {
      const controller = new AbortController();
      timer = setTimeout(() => controller.abort(), ms);
      return controller.signal;
    },
    clear: () => clearTimeout(timer),
  };
}

/** Aborts `stop` at the time limit or a cancellation, and rejects after the tool's time to end. */
function interruption(
  stop: AbortController,
  { time, limit, graceMs, listeners }: {
    time: AbortSignal;
    limit: number;
    graceMs: number;
    listeners: Listeners;
  },
): Promise<never> {
  // A tool does not know the limit, so it may use this message as it is.
  const reason = new DOMException(`The time limit of ${limit} ms passed`, "TimeoutError");
  time.addEventListener("abort", () => stop.abort(reason));
  cancelOnSignal(listeners, stop);
  return new Promise((_, reject) => {
    stop.signal.addEventListener("abort", () => {
      setTimeout(() => reject(stop.signal.reason), graceMs);
    });
  });
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
): Policy & Required<Pick<Policy, "timeoutMs" | "maxRetries">> {
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

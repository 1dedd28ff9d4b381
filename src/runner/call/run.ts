import { CallError } from "../../base/errors.ts";
import { isRetryable } from "../../base/retryable.ts";
import { quote } from "../../base/text/quote.ts";
import type { Place, PlaceOutput, Serve } from "../sandbox/executors/job.ts";
import type { Prepared, Settings } from "./call.ts";
import type { CallResult } from "./failure.ts";
import { callPolicy } from "./policy.ts";
import type { RetryOptions, Tried } from "./retry.ts";

/** How many turns of the microtask queue are waited for work that needs nothing else. */
const MICROTASKS = 1_000;

/** How long a tool may take to end once it is told to stop, in milliseconds. */
const GRACE_MS = 2_500;

/**
 * The same for a tool that starts programs. Thousands of processes take seconds to end on a busy
 * machine. The output so far would be lost if the call did not wait for them.
 */
const PROGRAMS_GRACE_MS = 20_000;

/** What a place that keeps the time limit itself has beyond it, in milliseconds. */
const SLACK_MS = PROGRAMS_GRACE_MS + 5_000;

/**
 * Runs a call that was authorised, and again as far as its policy says when it failed in a way
 * that may pass. Throws {@link CallError}, also when the time limit passes or the call is
 * cancelled and the tool has had its time to end.
 */
export async function run(
  prepared: Prepared,
  place: Place,
  { settings, stop, serve }: { settings: Settings; stop: AbortController; serve: Serve },
): Promise<CallResult> {
  const { tool, args, paths, writes, hosts } = prepared;
  const { timeoutMs: limit, maxRetries } = callPolicy(prepared, settings);
  const { name, permissionKinds } = tool.metadata;
  const graceMs = permissionKinds.includes("run") ? PROGRAMS_GRACE_MS : GRACE_MS;
  const job = {
    tool: name,
    args,
    paths,
    writes,
    cwd: settings.cwd,
    grants: settings.grants,
    hosts,
    background: settings.output !== undefined,
    isFollowed: settings.onProgress !== undefined,
    structured: settings.structured === true,
  };
  const time = timeLimit(place.keepsTime ? limit + SLACK_MS : limit, settings.pool !== undefined);
  try {
    stop.signal.throwIfAborted();
    const running = { signal: stop.signal, serve, onPrint: settings.onPrint };
    const work = attempts(() => place.run(job, running), {
      // A place that keeps the time has the tries too.
      maxRetries: place.keepsTime ? 0 : maxRetries,
      endsAt: performance.now() + limit,
      signal: stop.signal,
    });
    const { output, retries } = await early(work) ??
      await Promise.race([
        work,
        stopped(stop, { time: time.signal(), limit, graceMs, onCancel: settings.onCancel }),
      ]);
    const result = resultOf(output);
    return retries === 0 ? result : { ...result, _meta: { "toolcall/retries": retries } };
  } catch (error) {
    if (!stop.signal.aborted || place.keepsTime && isInterruption(error)) throw error;
    throw interrupted(error, name, { reason: stop.signal.reason, limit });
  } finally {
    time.clear();
  }
}

/** The first try, and where that failed in a way that may pass the others. */
async function attempts(
  attempt: () => Promise<PlaceOutput>,
  options: RetryOptions,
): Promise<Tried> {
  try {
    return { output: await attempt(), retries: 0 };
  } catch (error) {
    const { maxRetries, signal } = options;
    if (maxRetries === 0 || signal.aborted || !(error instanceof CallError)) throw error;
    // One that was tried again already, in a process of its own, says so.
    if (!isRetryable(error.details) || error.details["retries"] !== undefined) throw error;
    const { tryAgain } = await import("./retry.ts");
    return await tryAgain(attempt, error, options);
  }
}

/** A limit of milliseconds, which runs from the call of `signal` to that of `clear`. */
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

function resultOf(output: PlaceOutput): CallResult {
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
 * What comes of work that waits for nothing outside this thread. Neither a timer
 * nor a signal could reach it before its end, so it is spared the cost of both.
 */
async function early<T>(work: Promise<T>): Promise<T | undefined> {
  let ended = false;
  const end = () => void (ended = true);
  work.then(end, end);
  for (let turn = 0; turn < MICROTASKS && !ended; turn++) await null;
  return ended ? await work : undefined;
}

/**
 * Aborts `stop` when the `time` has passed or the call is cancelled, and
 * rejects when the tool has had its time to end after that.
 */
function stopped(
  stop: AbortController,
  { time, limit, graceMs, onCancel }: {
    time: AbortSignal;
    limit: number;
    graceMs: number;
    onCancel: Settings["onCancel"];
  },
): Promise<never> {
  // The tool may tell of it in these words: it does not know the limit.
  const reason = new DOMException(`The time limit of ${limit} ms passed`, "TimeoutError");
  time.addEventListener("abort", () => stop.abort(reason));
  onCancel(() => stop.abort());
  return new Promise((_, reject) => {
    stop.signal.addEventListener("abort", () => {
      setTimeout(() => reject(stop.signal.reason), graceMs);
    });
  });
}

/** Whether it tells of the interruption itself. */
function isInterruption(error: unknown): boolean {
  return error instanceof CallError && (error.code === "timeout" || error.code === "cancelled");
}

/** The failure of a call that was stopped, with what the tool had to say by then. */
function interrupted(
  error: unknown,
  name: string,
  { reason, limit }: { reason: DOMException; limit: number },
): CallError {
  const said = error instanceof CallError && error.code === "tool_failed" ? error : undefined;
  const own = said !== undefined && said.message !== reason.message ? said.message : undefined;
  return reason.name === "TimeoutError"
    ? new CallError("timeout", own ?? `Cannot finish ${quote(name)} within ${limit} ms`, {
      ...said?.details,
      tool: name,
      timeoutMs: limit,
    })
    : new CallError("cancelled", own ?? `Cancelled ${quote(name)}: a signal came`, {
      ...said?.details,
      tool: name,
    });
}

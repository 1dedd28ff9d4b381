import { backoffMs } from "../../base/async/retry.ts";
import { CallError } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";
import { isRetryable } from "../../base/retryable.ts";
import { delay } from "@std/async/delay";
import type { ExecutorOutput } from "../sandbox/executors/executor.ts";

/** The longest pause before the second try, in milliseconds. */
const FIRST_MS = 500;

/** The limits of a call's retries. */
export interface RetryOptions {
  /** The most retries. */
  maxRetries: number;
  /** The end of the call's time limit, on the clock of `performance.now()`. */
  endsAt: number;
  /** Ends a pause. */
  signal: AbortSignal;
}

/** The output of a call and the number of its retries. */
export interface Tried {
  /** The output of the last attempt. */
  output: ExecutorOutput;
  /** The number of retries. */
  retries: number;
}

/**
 * Retries a call after a `failure` that may pass. Each retry waits a random time up to a bound that
 * doubles, so that callers which failed together do not retry together. It waits at least as long
 * as the failure asks for, and does not start if that exceeds the time limit. Throws the error of
 * the last attempt with the number of attempts, or the signal's reason if it ends a wait.
 */
export async function tryAgain(
  attempt: () => Promise<ExecutorOutput>,
  failure: CallError,
  { maxRetries, endsAt, signal }: RetryOptions,
): Promise<Tried> {
  for (let retries = 0;; retries++) {
    if (retries === maxRetries || !isRetryable(failure.details)) throw withTries(failure, retries);
    const waitMs = pauseBefore(retries, failure);
    if (performance.now() + waitMs >= endsAt) throw withTries(failure, retries, waitMs);
    await delay(waitMs, { signal });
    try {
      return { output: await attempt(), retries: retries + 1 };
    } catch (error) {
      if (!(error instanceof CallError) || signal.aborted) throw error;
      failure = error;
    }
  }
}

function pauseBefore(retries: number, { details }: CallError): number {
  const { retryAfterMs } = details;
  const own = backoffMs(retries + 1, { firstMs: FIRST_MS });
  return Math.max(own, typeof retryAfterMs === "number" ? retryAfterMs : 0);
}

/** Adds the number of attempts, and the wait that was too long, to a failure. */
function withTries(failure: CallError, retries: number, waitMs?: number): CallError {
  const { code, message, details, content } = failure;
  const tries = `tried ${retries === 0 ? "once" : plural(retries + 1, "time")}`;
  const left = `the time limit leaves no ${Math.ceil((waitMs ?? 0) / 1000)} s to wait`;
  const note = waitMs === undefined ? tries : `${tries}, and ${left} for the next try`;
  // Brackets separate this note from the lines of a server's message.
  const isLong = message.includes("\n");
  const text = `[${note[0]!.toUpperCase()}${note.slice(1)}]`;
  return new CallError(
    code,
    isLong ? `${message}\n${text}` : `${message}; ${note}`,
    { ...details, retries },
    content && [...content, { type: "text", text }],
  );
}

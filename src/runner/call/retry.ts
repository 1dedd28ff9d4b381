import { backoffMs } from "../../base/async/retry.ts";
import { CallError } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";
import { isRetryable } from "../../base/retryable.ts";
import { delay } from "@std/async/delay";
import type { ExecutorOutput } from "../sandbox/executors/executor.ts";

/** The longest pause before the second try, in milliseconds. */
const FIRST_MS = 500;

/** What a call's tries are held to. */
export interface RetryOptions {
  /** How often it is tried again at most. */
  maxRetries: number;
  /** When the call's time is over, on the clock of `performance.now()`. */
  endsAt: number;
  /** Ends a pause. */
  signal: AbortSignal;
}

/** What a call came to, and after how many further tries. */
export interface Tried {
  /** What the last try returned. */
  output: ExecutorOutput;
  /** How often it was tried again. */
  retries: number;
}

/**
 * Tries a call again whose first try ended in `failure`, which may pass. Before each try comes a
 * pause: of any length up to a bound that doubles, so that callers who failed together do not
 * come back together, but at least as long as the failure asks for. One for which there is no
 * time is not begun. Throws what the last try threw, with the number of tries, and the signal's
 * reason when that ends a pause.
 */
export async function tryAgain(
  attempt: () => Promise<ExecutorOutput>,
  failure: CallError,
  { maxRetries, endsAt, signal }: RetryOptions,
): Promise<Tried> {
  for (let retries = 0;; retries++) {
    if (retries === maxRetries || !isRetryable(failure.details)) throw told(failure, retries);
    const waitMs = pauseBefore(retries, failure);
    if (performance.now() + waitMs >= endsAt) throw told(failure, retries, waitMs);
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

/** The failure that says how often it was tried, and for which pause there was no time. */
function told(failure: CallError, retries: number, waitMs?: number): CallError {
  const { code, message, details, content } = failure;
  const tries = `tried ${retries === 0 ? "once" : plural(retries + 1, "time")}`;
  const note = waitMs === undefined
    ? tries
    : `${tries}, and the time limit leaves no ${
      Math.ceil(waitMs / 1000)
    } s to wait for the next try`;
  // After the words of a server a note of ours has to be told apart.
  const isLong = message.includes("\n");
  const text = `[${note[0]!.toUpperCase()}${note.slice(1)}]`;
  return new CallError(
    code,
    isLong ? `${message}\n${text}` : `${message}; ${note}`,
    { ...details, retries },
    content && [...content, { type: "text", text }],
  );
}

import { delay } from "@std/async/delay";

/**
 * Repeats an attempt until it succeeds, and returns its result. `pauseAfter` returns the pause before
 * the next attempt, in milliseconds, after `attempts` attempts of which the last threw `error`, or
 * throws to stop. Throws that error, and the signal's reason if it is aborted during a pause.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { pauseAfter, signal }: {
    pauseAfter(error: unknown, attempts: number): number;
    signal: AbortSignal;
  },
): Promise<T> {
  for (let attempts = 1;; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const pauseMs = pauseAfter(error, attempts);
      if (pauseMs > 0) await delay(pauseMs, { signal });
    }
  }
}

/** The longest pause without a server's request, in milliseconds. */
const MAX_MS = 8_000;

/**
 * A random pause after `attempts` attempts, in milliseconds. Its bound is `firstMs` after the first
 * and doubles up to 8 seconds. It is at least `minShare` of the bound. The pause is random so that
 * callers that failed together do not return together.
 */
export function backoffMs(
  attempts: number,
  { firstMs, minShare = 0 }: { firstMs: number; minShare?: number },
): number {
  const bound = Math.min(MAX_MS, firstMs * 2 ** (attempts - 1));
  return bound * (minShare + (1 - minShare) * Math.random());
}

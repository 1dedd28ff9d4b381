/** The state of a search that was aborted. */
export interface InterruptedSearch {
  /** The aborted signal. */
  signal: AbortSignal;
  /** Advice after a timeout. */
  advice: string;
  /** The number of results so far. */
  found: number;
  /** Returns the results so far as a text. */
  results(): string;
}

/** The error for a search that was aborted, with the results so far. */
export function interruptedError(
  search: string,
  { signal, advice, found, results }: InterruptedSearch,
): Error {
  const why = signal.reason?.name === "TimeoutError"
    ? `the time limit passed; ${advice}`
    : "the call was cancelled";
  const partial = found > 0 ? `Found until then:\n\n${results()}` : "Nothing was found until then";
  return new Error(`Cannot finish ${search}: ${why}. ${partial}`, { cause: { found } });
}

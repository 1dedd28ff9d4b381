/**
 * Runs a function that asks the system about many paths, some of which are missing. The runtime
 * makes an error for each, and recording its place in the code takes longer than the question.
 */
export function withoutStackTraces<T>(look: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return look();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Runs what asks the system about many paths, of which some are not there. The runtime makes an
 * error of each, and recording where in the code that was takes longer than the question.
 */
export function withoutTraces<T>(look: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return look();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

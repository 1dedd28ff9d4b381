/**
 * Returns how long something ran, or has run so far, in milliseconds. The result is never negative,
 * even if the clock of the machine was set back meanwhile.
 */
export function elapsedMs(
  { startedAt, endedAt }: { startedAt: number; endedAt: number | undefined },
): number {
  return Math.max(0, (endedAt ?? Date.now()) - startedAt);
}

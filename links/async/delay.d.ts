/** Resolves after `ms` milliseconds, or rejects with the signal's reason once it is aborted. */
export function delay(
  ms: number,
  options?: { signal?: AbortSignal; persistent?: boolean },
): Promise<void>;

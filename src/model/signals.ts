/** Waits for so many milliseconds. Rejects with the signal's reason when that is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  try {
    await unlessAborted(waited, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** What the work gives. Rejects with the signal's reason, without waiting, when that is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Settles as the promise does, or rejects with the signal's reason once it is aborted. */
export function abortable<T>(p: Promise<T>, signal: AbortSignal): Promise<T>;

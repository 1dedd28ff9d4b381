/**
 * Sends a request to a worker, returns its reply, and terminates the worker. `replyOf` converts a
 * message of the worker to the reply; `undefined` waits for the next message. `timedOut` returns the
 * reply after `timeoutMs` milliseconds, and `failed` that for an error of the worker with the
 * runtime's message. Rejects with the signal's reason if it is aborted.
 */
export async function requestFromWorker<Message, Reply>(
  worker: Worker,
  { message, replyOf, timeoutMs, timedOut, failed, signal }: {
    message: unknown;
    replyOf(message: Message): Reply | undefined;
    timeoutMs: number;
    timedOut(): Reply;
    failed(message: string): Reply;
    signal: AbortSignal;
  },
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop);
  const timer = setTimeout(() => resolve(timedOut()), timeoutMs);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve(failed(event.message));
  };
  worker.onmessage = ({ data }: MessageEvent<Message>) => {
    const reply = replyOf(data);
    if (reply !== undefined) resolve(reply);
  };
  worker.postMessage(message);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    worker.terminate();
  }
}

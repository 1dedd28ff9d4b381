/** A request to a worker, and how its reply is awaited. */
export interface WorkerRequest<Message, Reply> {
  /** The message to the worker. */
  message: unknown;
  /** Converts a message of the worker to the reply; `undefined` waits for the next message. */
  replyOf(message: Message): Reply | undefined;
  /** The timeout, in milliseconds. */
  timeoutMs: number;
  /** Returns the reply after a timeout. */
  timedOut(): Reply;
  /** Returns the reply for an error of the worker, with the runtime's message. */
  failed(message: string): Reply;
  /** Cancels the request. */
  signal: AbortSignal;
}

/**
 * Sends a request to a worker, returns its reply, and terminates the worker. Rejects with the
 * signal's reason if it is aborted.
 */
export async function requestFromWorker<Message, Reply>(
  worker: Worker,
  { message, replyOf, timeoutMs, timedOut, failed, signal }: WorkerRequest<Message, Reply>,
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

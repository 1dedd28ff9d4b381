/** An order to a thread, and how its answer is waited for. */
export interface ThreadOrder<Message, Reply> {
  /** The message to the thread. */
  order: unknown;
  /** Turns each of its messages into the answer, or into nothing when another one follows. */
  take(message: Message): Reply | undefined;
  /** How long it may take, in milliseconds. */
  limitMs: number;
  /** The answer in the place of one that did not come in time. */
  late(): Reply;
  /** The answer when the thread fails, with the runtime's message. */
  failed(message: string): Reply;
  /** Aborted when the call has to end. */
  signal: AbortSignal;
}

/**
 * Sends an order to a thread and returns its answer. The thread is ended with its answer. Rejects
 * with the signal's reason when it is aborted.
 */
export async function answerOfThread<Message, Reply>(
  worker: Worker,
  { order, take, limitMs, late, failed, signal }: ThreadOrder<Message, Reply>,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop);
  const timer = setTimeout(() => resolve(late()), limitMs);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve(failed(event.message));
  };
  worker.onmessage = ({ data }: MessageEvent<Message>) => {
    const reply = take(data);
    if (reply !== undefined) resolve(reply);
  };
  worker.postMessage(order);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    worker.terminate();
  }
}

/** Limits how much work runs at the same time. The rest waits in order. */
export class Semaphore {
  #free: number;
  #waiting = new Set<() => void>();

  /** Takes the number that may run at the same time. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs `work` in its turn. Rejects with the signal's reason if it is aborted before. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next();
    }
  }

  /**
   * The same, but the turn ends after `ms` milliseconds at the latest. Work that takes longer goes
   * on without a turn.
   */
  async runAtMost<T>(ms: number, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    let result: Promise<T> | undefined;
    await this.run(async () => {
      result = work();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, ms);
      await Promise.race([result.catch(() => {}), late.promise]);
      clearTimeout(timer);
    }, signal);
    return await result!;
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#waiting.delete(begin);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      this.#waiting.add(begin);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}

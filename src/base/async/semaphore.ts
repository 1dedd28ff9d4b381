/** Lets a bounded number of calls run at the same time; the others wait in order. */
export class Semaphore {
  #free: number;
  #waiting = new Set<() => void>();

  /** Takes how many run at the same time. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs `work` when it is its turn. Rejects with the reason of a signal that comes before. */
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

/** Lets a bounded number of calls run at the same time; the others wait in order. */
export class Turns {
  #free: number;
  #waiting: (() => void)[] = [];

  /** Takes how many run at the same time. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs `work` when it is its turn. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

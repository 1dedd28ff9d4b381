/** Lets asynchronous work wait for a condition that other work makes true. */
export class Wakeup {
  #waiting: (() => void)[] = [];

  /** Waits until the condition is true. It is looked at again after each {@link wake}. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Looks at all conditions again. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

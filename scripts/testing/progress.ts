/** Shows how far a run is. */

/** Outside of a terminal a line is printed at least this often, in milliseconds. */
const MAX_SILENCE_MS = 12_000;

/** At a terminal the status changes this often, in milliseconds. */
const REFRESH_MS = 500;

/** At most so many running steps are named. */
const MAX_NAMES = 3;

/**
 * The progress of a number of steps. At a terminal one line shows it and only failures are printed
 * above it. Elsewhere each step prints a line, and so does a pause.
 */
export class Progress implements Disposable {
  readonly #isTerminal = Deno.stdout.isTerminal();
  readonly #begin = performance.now();
  readonly #running = new Map<string, number>();
  readonly #weights: ReadonlyMap<string, number>;
  readonly #timer: ReturnType<typeof setInterval>;
  #done = 0;
  #doneWeight = 0;
  #printedAt = performance.now();

  /** `weights` has each step with its expected share of the time, in any unit. */
  constructor(weights: ReadonlyMap<string, number>) {
    this.#weights = weights;
    this.#timer = setInterval(
      () => this.#isTerminal ? this.#show() : this.#breakSilence(),
      this.#isTerminal ? REFRESH_MS : 1_000,
    );
  }

  /** Notes that a step has begun. */
  start(name: string): void {
    this.#running.set(name, performance.now());
  }

  /** Notes that a step has ended, and prints its line where such lines are wanted. */
  end(name: string, line: string, { isNotable }: { isNotable: boolean }): void {
    this.#running.delete(name);
    this.#done++;
    this.#doneWeight += this.#weights.get(name) ?? 0;
    if (isNotable || !this.#isTerminal) this.print(line);
  }

  /** Prints a line that stays. */
  print(line: string): void {
    this.#printedAt = performance.now();
    write(`${this.#isTerminal ? "\r\x1b[K" : ""}${line}\n`);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#isTerminal) write("\r\x1b[K");
  }

  #show(): void {
    write(`\r\x1b[K${this.#status().slice(0, Deno.consoleSize().columns - 1)}`);
  }

  #breakSilence(): void {
    if (performance.now() - this.#printedAt >= MAX_SILENCE_MS) this.print(`… ${this.#status()}`);
  }

  #status(): string {
    const names = [...this.#running].map(([name, begin]) => {
      const short = name.replace(/^.*\/|_test\.ts$/g, "").replace(/_test\.ts$/, "");
      return `${short} ${Math.round((performance.now() - begin) / 1000)} s`;
    });
    return [
      `${this.#done} of ${this.#weights.size} after ${duration(this.#elapsed())}`,
      ...(this.#left() === undefined ? [] : [`about ${duration(this.#left()!)} left`]),
      names.slice(0, MAX_NAMES).join(", "),
    ].join(" · ");
  }

  #elapsed(): number {
    return performance.now() - this.#begin;
  }

  /** The expected time until the end in milliseconds, by what the time was for what is done. */
  #left(): number | undefined {
    const all = [...this.#weights.values()].reduce((sum, weight) => sum + weight, 0);
    if (this.#doneWeight < all / 50) return undefined;
    return this.#elapsed() * (all / this.#doneWeight - 1);
  }
}

/** A duration in milliseconds as a person reads it, such as `3 min 20 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Prints a line. */
export function say(line: string): void {
  write(`${line}\n`);
}

function write(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

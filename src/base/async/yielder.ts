/** How long work may go on before the event loop gets its turn, in milliseconds. */
const TURN_MS = 25;

/** Lets long synchronous work be interrupted: timers and messages get their turn now and then. */
export class Breather {
  #signal: AbortSignal;
  #since = performance.now();

  /** Watches the signal of the call. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to `await rest()`; cheap enough to ask for every file and block. */
  get isDue(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Gives the event loop a turn; throws the signal's reason when it is aborted. */
  async rest(): Promise<void> {
    await new Promise((done) => setTimeout(done, 0));
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}

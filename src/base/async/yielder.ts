import { nextTurn } from "./next_turn.ts";

/** How long synchronous work may hold the event loop, in milliseconds. */
const TURN_MS = 25;

/** Interrupts long synchronous work now and then, so that timers and messages are handled. */
export class Yielder {
  #since = performance.now();

  /** Takes the signal of the call. */
  constructor(readonly signal: AbortSignal) {}

  /** Returns whether the caller should await `yield()` now. Ask before each file and each block. */
  get isDue(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Lets the event loop run once. Throws the signal's reason when it is aborted. */
  async yield(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    this.#since = performance.now();
  }
}

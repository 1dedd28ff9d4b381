import { Wakeup } from "../../base/async/wakeup.ts";
import type { ProgramOutput } from "../../base/program_output.ts";

/** The output of a program that another process reads, for one reader. */
export class OutputQueue implements ProgramOutput {
  #chunks: Uint8Array[] = [];
  #isEnded = false;
  readonly #changed = new Wakeup();

  /** `onRead` is called for each part that was read. */
  constructor(readonly onRead: () => void = () => {}) {}

  /** Adds the next bytes. */
  add(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#changed.wake();
  }

  /** Ends it. The bytes that were added can still be read. */
  end(): void {
    this.#isEnded = true;
    this.#changed.wake();
  }

  /** The next bytes. `undefined` at the end. */
  async read(): Promise<Uint8Array | undefined> {
    await this.#changed.until(() => this.#chunks.length > 0 || this.#isEnded);
    if (this.#chunks.length === 0) return undefined;
    this.onRead();
    return this.#chunks.shift();
  }

  /** Ends the reading. */
  cancel(): Promise<void> {
    this.#chunks = [];
    this.end();
    return Promise.resolve();
  }
}

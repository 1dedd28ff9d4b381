import { delay } from "@std/async/delay";
import { concat } from "@std/bytes/concat";

/** The most bytes that are kept. */
const MAX_BYTES = 16_384;
/** The bytes from which on the output is read slowly, and the pause before the next part. */
const [FAST_BYTES, PAUSE_MS] = [1024 * 1024, 20];

/** The output of the background jobs of a shell while no command runs, in bounded memory. */
export class BetweenOutput {
  #bytes = new Uint8Array(0);
  #total = 0;

  /** Takes the next part. A job that prints without end has to wait. */
  async add(bytes: Uint8Array): Promise<void> {
    this.#total += bytes.length;
    this.#bytes = concat([this.#bytes, bytes]).slice(-MAX_BYTES);
    if (this.#total > FAST_BYTES) await delay(PAUSE_MS);
  }

  /** Removes and returns all of it, between lines that say what it is. Empty without output. */
  takeAll(): Uint8Array<ArrayBuffer> {
    const [bytes, lost] = [this.#bytes, this.#total - this.#bytes.length];
    [this.#bytes, this.#total] = [new Uint8Array(0), 0];
    if (bytes.length === 0) return bytes;
    const first = lost > 0 ? `, without the first ${lost} bytes` : "";
    const isOpen = bytes.at(-1) !== 0x0a;
    return concat([
      new TextEncoder().encode(`[Printed by background jobs since the last command${first}:]\n`),
      bytes,
      new TextEncoder().encode(`${isOpen ? "\n" : ""}[Output of this command:]\n`),
    ]);
  }
}

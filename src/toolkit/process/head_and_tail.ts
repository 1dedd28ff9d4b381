import { trimSurrogates } from "../../base/text/truncate.ts";

/** The room for the line that says how much is missing, in characters. */
const NOTE_LENGTH = 40;

/** An output of any length in bounded memory: its head and its tail. */
export class HeadAndTail {
  #head = "";
  #tail = "";
  #length = 0;

  /** Takes the most characters that {@link text} is asked for. */
  constructor(readonly limit: number) {}

  /** The number of characters that were added. */
  get length(): number {
    return this.#length;
  }

  /** Takes the next characters. */
  add(text: string): void {
    this.#length += text.length;
    const room = Math.max(0, this.limit - this.#head.length);
    this.#head += text.slice(0, room);
    const tail = this.#tail + text.slice(room);
    // The tail is longer than needed for a while, because cutting it each time takes longer.
    this.#tail = tail.length > 2 * this.limit ? lastOf(tail, this.limit) : tail;
  }

  /** All of it, or its head and its tail with a line between them, in at most `most` characters. */
  text(most: number): string {
    const kept = this.#head + this.#tail;
    if (this.#length <= most) return kept;
    if (most < 2 * NOTE_LENGTH) return trimSurrogates(this.#head.slice(0, most));
    const room = most - NOTE_LENGTH;
    const [first, last] = [Math.ceil(room / 2), Math.floor(room / 2)];
    const [head, tail] = [this.#head.slice(0, first), lastOf(kept, last)];
    const note = `\n[${this.#length - room} characters omitted]\n`;
    return trimSurrogates(head) + note + trimSurrogates(tail);
  }
}

function lastOf(text: string, count: number): string {
  return count === 0 ? "" : text.slice(-count);
}

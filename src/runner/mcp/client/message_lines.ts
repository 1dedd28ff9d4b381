/** Joins the bytes of a stream to lines, each no longer than `longest` bytes. */
export class MessageLines {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Takes the longest line, in bytes. */
  constructor(readonly longest: number) {}

  /** The lines that end in this part. Throws when one grows too long. */
  *add(part: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, start)) {
      this.#keep(part.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#keep(part.subarray(start));
  }

  #keep(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.longest) {
      throw new Error(`it sent a message of more than ${this.longest / 2 ** 20} MiB`);
    }
    // The stream may use the memory of a part again.
    if (part.length > 0) this.#parts.push(part.slice());
  }

  #take(): string {
    const decoder = new TextDecoder();
    const text = this.#parts.map((part) => decoder.decode(part, { stream: true })).join("") +
      decoder.decode();
    this.#parts = [];
    this.#length = 0;
    return text;
  }
}

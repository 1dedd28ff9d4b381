import { concat } from "@std/bytes/concat";

const [NEWLINE, SPACE, RETURN] = [0x0a, 0x20, 0x0d];
/** A line that is longer is not examined for being blank. */
const MAX_BLANK = 64 * 1024;

/**
 * Splits chunks of bytes into lines. It keeps only the first chunks of a line longer than
 * `maxBytes`: its length then shows that it is too long, and memory stays bounded.
 */
export class ByteLines {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** Takes the length up to which a line is kept, in bytes. */
  constructor(readonly maxBytes: number) {}

  /** The number of bytes of the unfinished line that are kept. */
  get pending(): number {
    return this.#length;
  }

  /** Yields each line that ends in this chunk, without its newline. The chunk may be reused later. */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    const own = chunk.slice();
    let start = 0;
    for (let end = own.indexOf(NEWLINE); end >= 0; end = own.indexOf(NEWLINE, start)) {
      const line = own.subarray(start, end);
      if (this.#chunks.length === 0) yield line;
      else {
        this.#keep(line);
        yield this.takeRest();
      }
      start = end + 1;
    }
    this.#keep(own.subarray(start));
  }

  /** Returns the unfinished line, and begins the next one. */
  takeRest(): Uint8Array {
    const line = concat(this.#chunks);
    this.#chunks = [];
    this.#length = 0;
    return line;
  }

  #keep(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.#length > this.maxBytes) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }
}

/** Whether a line consists of spaces and carriage returns only. */
export function isBlank(line: Uint8Array): boolean {
  return line.length < MAX_BLANK && line.every((byte) => byte === SPACE || byte === RETURN);
}

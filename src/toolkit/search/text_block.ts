import { Buffer, isUtf8 } from "node:buffer";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes to search, with the forms in which native searches are fast. */
export class TextBlock {
  /** The bytes themselves. */
  readonly bytes: Uint8Array;
  #binary: string | undefined;

  /** Takes the bytes without copying them. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** One character a byte: positions are the bytes' own. */
  get binary(): string {
    const { buffer, byteOffset, length } = this.bytes;
    return this.#binary ??= Buffer.from(buffer, byteOffset, length).toString("latin1");
  }

  /** The text, and whether all of it is UTF-8; other bytes are U+FFFD. It has as many newlines. */
  decoded(): { text: string; isUtf8: boolean } {
    return { text: decoder.decode(this.bytes), isUtf8: isUtf8(this.bytes) };
  }

  /** Where the line at `position` ends, after its newline. */
  lineEnd(position: number): number {
    const newline = this.binary.indexOf("\n", position);
    return newline === -1 ? this.bytes.length : newline + 1;
  }

  /** Where the line of the byte at `position` begins. */
  lineStart(position: number): number {
    return position === 0 ? 0 : this.binary.lastIndexOf("\n", position - 1) + 1;
  }

  /** How many newlines there are from `start` up to `end`. */
  newlines(start: number, end: number): number {
    let count = 0;
    const bytes = this.bytes;
    for (let i = start; i < end; i++) if (bytes[i] === 10) count++;
    return count;
  }
}

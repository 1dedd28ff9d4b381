import { Buffer, isUtf8 } from "node:buffer";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes to search, in the forms in which native searches are fast. */
export class TextBlock {
  #binary: string | undefined;

  /** Takes the bytes without copying them. */
  constructor(readonly bytes: Uint8Array) {}

  /** The bytes from `start` on, as a block; itself for 0. */
  from(start: number): TextBlock {
    return start === 0 ? this : new TextBlock(this.bytes.subarray(start));
  }

  /** The bytes as Latin-1, so that positions are the same. */
  get binary(): string {
    const { buffer, byteOffset, length } = this.bytes;
    return this.#binary ??= Buffer.from(buffer, byteOffset, length).toString("latin1");
  }

  /** The text, and whether it is valid UTF-8. Invalid bytes become U+FFFD; newlines stay. */
  decoded(): { text: string; isUtf8: boolean } {
    return { text: decoder.decode(this.bytes), isUtf8: isUtf8(this.bytes) };
  }

  /** The end of the line at `position`, after its newline. */
  lineEnd(position: number): number {
    const newline = this.binary.indexOf("\n", position);
    return newline === -1 ? this.bytes.length : newline + 1;
  }

  /** The start of the line of the byte at `position`. */
  lineStart(position: number): number {
    return position === 0 ? 0 : this.binary.lastIndexOf("\n", position - 1) + 1;
  }

  /** The number of newlines from `start` up to `end`. */
  newlines(start: number, end: number): number {
    let count = 0;
    const bytes = this.bytes;
    for (let i = start; i < end; i++) if (bytes[i] === 10) count++;
    return count;
  }
}

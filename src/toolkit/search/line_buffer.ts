import { NamedError } from "../../base/errors.ts";

/** A synchronous source of bytes. */
export interface SyncSource {
  /** Reads up to `into.length` bytes; 0 at the end. */
  read(into: Uint8Array<ArrayBuffer>): number;
}

/** The size of ripgrep's reads, in bytes. It decides where binary data is noticed. */
export const BLOCK_SIZE = 64 * 1024;

/** The longest line of the built-in engine, in bytes: a line must fit into memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 10;

/**
 * The meaning of a NUL byte: the end of the search, a line end, or an ordinary byte. `quit` is for
 * files found by a walk, `newline` for a file that the call names.
 */
type OnNul = "quit" | "newline" | "keep";

/** A line is longer than the limit. */
export class LineTooLongError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "LineTooLongError";
}

/**
 * Reads texts in blocks of whole lines. Bytes that are not consumed stay for the next block. The
 * buffer never shrinks after a long line: ripgrep's does not either, and the size decides where
 * binary data is noticed.
 *
 * It is not merged with the other splitters of lines: the search must see the same blocks as
 * ripgrep's. `LineReader` (files) and `ByteLines` (MCP) deliver single lines.
 */
export class LineBuffer {
  /** The position of the first NUL byte in the whole text. */
  binaryOffset: number | undefined;
  #source: SyncSource = { read: () => 0 };
  #onNul: OnNul = "keep";
  #bytes = new Uint8Array(BLOCK_SIZE);
  #start = 0;
  #linesEnd = 0;
  #end = 0;
  #offset = 0;

  /** Starts a new text, before its first block. */
  open(source: SyncSource, onNul: OnNul): void {
    this.#source = source;
    this.#onNul = onNul;
    this.binaryOffset = undefined;
    this.#start =
      this.#linesEnd =
      this.#end =
      this.#offset =
        0;
  }

  /** The whole lines in the buffer; valid until the next `fill`. */
  get lines(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#linesEnd);
  }

  /** True if a NUL byte has ended the text. */
  get hasQuit(): boolean {
    return this.#onNul === "quit" && this.binaryOffset !== undefined;
  }

  /** Drops the first `count` bytes of `lines`. */
  consume(count: number): void {
    this.#start += count;
    this.#offset += count;
  }

  /** Reads until there is one more line end. Returns whether there are lines. */
  fill(): boolean {
    if (this.hasQuit) return this.#start < this.#linesEnd;
    this.#roll();
    for (;;) {
      this.#grow();
      const count = this.#source.read(this.#bytes.subarray(this.#end));
      if (count === 0) {
        this.#linesEnd = this.#end;
        return this.#start < this.#end;
      }
      const added = this.#bytes.subarray(this.#end, this.#end + count);
      if (this.#onNul !== "keep" && this.#noticeNul(added)) return this.#start < this.#end;
      const newline = added.lastIndexOf(NEWLINE);
      const before = this.#end;
      this.#end += count;
      if (newline !== -1) {
        this.#linesEnd = before + newline + 1;
        return true;
      }
    }
  }

  #roll(): void {
    this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#linesEnd -= this.#start;
    this.#start = 0;
  }

  #grow(): void {
    if (this.#end < this.#bytes.length) return;
    if (this.#end >= MAX_LINE_BYTES) throw new LineTooLongError();
    const larger = new Uint8Array(this.#bytes.length * 3);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** Handles NUL bytes in newly read bytes. Returns whether reading ends there. */
  #noticeNul(added: Uint8Array): boolean {
    const at = added.indexOf(0);
    if (at === -1) return false;
    this.binaryOffset ??= this.#offset + this.#end + at;
    if (this.#onNul === "quit") {
      this.#end += at;
      this.#linesEnd = this.#end;
      return true;
    }
    for (let i = at; i !== -1; i = added.indexOf(0, i + 1)) added[i] = NEWLINE;
    return false;
  }
}

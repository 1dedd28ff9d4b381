import { NamedError } from "../../base/errors.ts";
import type { SyncSource } from "./file_source.ts";

/** How much ripgrep reads at a time; where binary data is noticed depends on it. */
export const BLOCK_SIZE = 64 * 1024;

/** The longest line that the built-in engine takes; longer ones would need as much memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 10;

/**
 * What a NUL byte means: the end of the search, a line end, or nothing. The
 * first is for files that a walk has found, the second for a file that was named.
 */
export type OnNul = "quit" | "newline" | "keep";

/** A line that has no end within the limit. */
export class LineTooLongError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "LineTooLongError";
}

/**
 * Reads one text after the other in blocks of whole lines, and keeps what is
 * asked to be kept between them. It stays as large as a long line has made it:
 * so does ripgrep's, and where binary data is noticed depends on that.
 */
export class LineBuffer {
  /** Where the first NUL byte was, in the whole text. */
  binaryOffset: number | undefined;
  #source: SyncSource = { read: () => 0 };
  #onNul: OnNul = "keep";
  #bytes = new Uint8Array(BLOCK_SIZE);
  #start = 0;
  #linesEnd = 0;
  #end = 0;
  #offset = 0;

  /** Starts another text, before its first block. */
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

  /** The whole lines that are there; valid until the next `fill`. */
  get lines(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#linesEnd);
  }

  /** Whether NUL has ended the reading. */
  get hasQuit(): boolean {
    return this.#onNul === "quit" && this.binaryOffset !== undefined;
  }

  /** Lets go of the first `count` bytes of `lines`. */
  consume(count: number): void {
    this.#start += count;
    this.#offset += count;
  }

  /** Reads on until there is one more line end; whether there are lines. */
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

  /** Looks for NUL in what was read last; whether the reading ends there. */
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

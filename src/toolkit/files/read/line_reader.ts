import { concat } from "@std/bytes/concat";
import type { ByteSource } from "./byte_source.ts";

const NEWLINE = 10;
const KEPT = 8192;
const COUNTED = 2000;
const MAX_LINE = 64 * 1024 * 1024;
const FARTHEST = 4 * 1024 * 1024 * 1024;
const REST = 64 * 1024 * 1024;

/** One line as far as it is kept: its beginning and its measure. */
export interface RawLine {
  /** The first 8 KiB at most, without the newline; valid until the next call. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Its whole length in bytes, without the newline. */
  length: number;
  /** Its whole length in characters; 0 when it has 2,000 bytes or less and was not counted. */
  characters: number;
  /** Whether a carriage return stands before its newline. */
  crlf: boolean;
  /** Whether a newline ends it. */
  ended: boolean;
  /** Whether it goes on beyond 64 MiB, where reading stopped. */
  endless: boolean;
}

/** Reads a source line by line; its memory does not grow with file or line. */
export class LineReader {
  #source: ByteSource;
  #chunk: Uint8Array<ArrayBuffer> = new Uint8Array();
  #at = 0;

  /** Starts at the source's current position. */
  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * Passes over `count` lines. Says how many there were, and whether the search
   * was given up before the end of the file: 4 GiB into it, or 64 MiB where its
   * size is unknown.
   */
  async skip(count: number): Promise<{ lines: number; gaveUp: boolean }> {
    const { lines, stopped } = await this.#pass(count, FARTHEST);
    return { lines, gaveUp: lines < count && stopped };
  }

  /** The next line, or `undefined` at the end of the file. */
  async next(): Promise<RawLine | undefined> {
    if (!await this.#more()) return undefined;
    const line: RawLine = {
      bytes: new Uint8Array(),
      length: 0,
      characters: 0,
      crlf: false,
      ended: false,
      endless: false,
    };
    do {
      const newline = this.#chunk.indexOf(NEWLINE, this.#at);
      line.ended = newline >= 0;
      const end = line.ended ? newline : this.#chunk.length;
      extend(line, this.#chunk.subarray(this.#at, end));
      this.#at = line.ended ? end + 1 : end;
      line.endless = line.length > MAX_LINE;
    } while (!line.ended && !line.endless && await this.#more());
    line.crlf &&= line.ended;
    return line;
  }

  /** Counts the lines that are left, in 64 MiB at most. */
  async countRest(): Promise<{ lines: number; complete: boolean }> {
    const { lines, stopped } = await this.#pass(Infinity, this.#source.position + REST);
    return { lines, complete: !stopped };
  }

  /** Passes over lines until it has `count` or has read beyond the byte `stop`. */
  async #pass(count: number, stop: number): Promise<{ lines: number; stopped: boolean }> {
    let lines = 0;
    let open = false;
    while (lines < count && await this.#more()) {
      if (this.#source.position > stop) return { lines, stopped: true };
      lines += this.#passInChunk(count - lines);
      open = lines < count && this.#chunk.at(-1) !== NEWLINE;
    }
    return { lines: lines + (open ? 1 : 0), stopped: this.#source.cutShort };
  }

  #passInChunk(count: number): number {
    for (let lines = 0; lines < count; lines++) {
      const newline = this.#chunk.indexOf(NEWLINE, this.#at);
      if (newline < 0) {
        this.#at = this.#chunk.length;
        return lines;
      }
      this.#at = newline + 1;
    }
    return count;
  }

  async #more(): Promise<boolean> {
    if (this.#at < this.#chunk.length) return true;
    const chunk = await this.#source.read();
    this.#chunk = chunk ?? new Uint8Array();
    this.#at = 0;
    return chunk !== undefined;
  }
}

function extend(line: RawLine, piece: Uint8Array<ArrayBuffer>): void {
  const whole = line.length === 0 && line.ended;
  // The next read uses the chunk again: a line that goes on needs its own copy.
  if (whole) line.bytes = piece.subarray(0, KEPT);
  else if (line.bytes.length < KEPT) {
    line.bytes = concat([line.bytes, piece.subarray(0, KEPT - line.bytes.length)]);
  }
  if (!whole || piece.length > COUNTED) line.characters += characters(piece);
  if (piece.length > 0) line.crlf = piece[piece.length - 1] === 13;
  line.length += piece.length;
}

/** Every byte but the continuation bytes of UTF-8 begins a character. */
function characters(bytes: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    if ((bytes[i]! & 0xc0) !== 0x80) count++;
  }
  return count;
}

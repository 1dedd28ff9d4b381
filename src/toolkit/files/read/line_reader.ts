import { concat } from "@std/bytes/concat";
import type { ByteSource } from "./byte_source.ts";

const NEWLINE = 10;
const RETURN = 13;
const MAX_KEPT = 8192;
const MAX_UNCOUNTED = 2000;
const MAX_LINE = 64 * 1024 * 1024;
const MAX_SKIPPED = 4 * 1024 * 1024 * 1024;
const MAX_REST = 64 * 1024 * 1024;

/** The beginning of a line, and facts on the whole line. */
export class RawLine {
  /** The first 8 KiB at most, without the newline; valid until the next call. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array();
  /** Its whole length in bytes, without the newline. */
  length = 0;
  /** Its whole length in characters; 0 when it has 2,000 bytes or less and was not counted. */
  characters = 0;
  /** True if a carriage return comes before its newline. */
  crlf = false;
  /** True if a newline ends it. */
  ended = false;
  /** True if it is longer than 64 MiB, where reading stopped. */
  endless = false;
}

/**
 * Reads a source line by line; its memory does not grow with file or line.
 *
 * It is not merged with the other splitters of lines: it measures a whole line but keeps only its
 * beginning. `ByteLines` (MCP) keeps whole lines, and `LineBuffer` (search) works on blocks.
 */
export class LineReader {
  #source: ByteSource;
  #chunk: Uint8Array<ArrayBuffer> = new Uint8Array();
  #at = 0;

  /** Starts at the source's current position. */
  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * Skips `count` lines. Returns how many there were, and whether the search gave up before the end
   * of the file: after 4 GiB, or after 64 MiB if the size is unknown.
   */
  async skip(count: number): Promise<{ lines: number; gaveUp: boolean }> {
    const { lines, stopped } = await this.#pass(count, MAX_SKIPPED);
    return { lines, gaveUp: lines < count && stopped };
  }

  /** The next line, or `undefined` at the end of the file. */
  async next(): Promise<RawLine | undefined> {
    if (!await this.#more()) return undefined;
    const line = new RawLine();
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
    const { lines, stopped } = await this.#pass(Infinity, this.#source.position + MAX_REST);
    return { lines, complete: !stopped };
  }

  /** Skips lines until it has `count` or has read beyond the byte `stop`. */
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
      this.#at = newline < 0 ? this.#chunk.length : newline + 1;
      if (newline < 0) return lines;
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
  // The next read reuses the chunk, so a line that continues there needs a copy.
  if (whole) line.bytes = piece.subarray(0, MAX_KEPT);
  else if (line.bytes.length < MAX_KEPT) {
    line.bytes = concat([line.bytes, piece.subarray(0, MAX_KEPT - line.bytes.length)]);
  }
  if (!whole || piece.length > MAX_UNCOUNTED) line.characters += characters(piece);
  if (piece.length > 0) line.crlf = piece.at(-1) === RETURN;
  line.length += piece.length;
}

/** Counts the bytes that are not continuation bytes of UTF-8, because each begins a character. */
function characters(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}

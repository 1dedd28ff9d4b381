import { BLOCK_SIZE } from "./line_buffer.ts";
import type { MatchedPart, Report } from "./report.ts";
import type { TextBlock } from "./text_block.ts";

/** Lines of a block that match. */
export interface MatchedLines {
  /** The start of the first line. */
  start: number;
  /** The end of the last line. */
  end: number;
  /** The number of matches in these lines. */
  count: number;
  /** The matching parts of the lines, if the search asks for them. */
  parts: MatchedPart[];
}

/**
 * Passes matching lines and their context to a report in order, block by block. Positions are bytes
 * in the current block.
 */
export class ContextLines {
  /** The position at which the search continues. */
  position = 0;
  /** The position of the first NUL byte in the whole text. */
  binaryOffset: number | undefined;
  #visited = 0;
  #counted = 0;
  #number = 1;
  #offset = 0;
  #afterLeft = 0;
  #hasPrinted = false;

  /**
   * Starts at the first line of a text. `looksForNul` looks for NUL in the printed lines, instead of
   * while reading.
   */
  constructor(readonly report: Report, readonly looksForNul: boolean) {}

  /** Prints the lines `start` to `end` with the context before them. Returns whether to continue. */
  matched(block: TextBlock, place: MatchedLines): boolean {
    const { start, end } = place;
    if (!this.contextTo(block, start)) return false;
    this.position = end;
    if (this.#isBinary(block, start, end)) return false;
    this.#gap(start);
    const span = { bytes: block.bytes.subarray(start, end), number: this.#numberAt(block, start) };
    if (!this.report.matched(span, place, this.binaryOffset !== undefined)) return false;
    this.#visited = end;
    this.#afterLeft = this.report.query.after;
    this.#hasPrinted = true;
    return true;
  }

  /** Prints the context between the last match and a match at `start`. Returns whether to continue. */
  contextTo(block: TextBlock, start: number): boolean {
    return this.contextAfter(block, start) && this.#contextBefore(block, start);
  }

  /** Prints the context after the last match, up to a position. Returns whether to continue. */
  contextAfter(block: TextBlock, upTo: number): boolean {
    for (; this.#afterLeft > 0 && this.#visited < upTo; this.#afterLeft--) {
      const start = this.#visited;
      if (!this.#context(block, start, block.lineEnd(start))) return false;
    }
    return true;
  }

  /** Ends a block. Returns the number of bytes that are not needed as context. */
  roll(block: TextBlock): number {
    const size = block.bytes.length;
    const context = Math.max(this.report.query.before, this.report.query.after);
    const needed = context === 0 ? size : Math.max(back(block, size, context + 1), this.#visited);
    this.#numberAt(block, needed);
    this.#offset += needed;
    this.#counted = 0;
    this.#visited = 0;
    this.position = size - needed;
    return needed;
  }

  /** Looks for NUL in the first block. Returns whether to stop there. */
  looksBinary(block: TextBlock): boolean {
    return this.#isBinary(block, 0, Math.min(block.bytes.length, BLOCK_SIZE));
  }

  #contextBefore(block: TextBlock, upTo: number): boolean {
    const { before } = this.report.query;
    if (before === 0 || this.#visited >= upTo) return true;
    let start = Math.max(this.#visited, back(block, upTo, before));
    while (start < upTo) {
      const end = block.lineEnd(start);
      this.#gap(start);
      if (!this.#context(block, start, end)) return false;
      start = end;
    }
    return true;
  }

  #context(block: TextBlock, start: number, end: number): boolean {
    if (this.#isBinary(block, start, end)) return false;
    const span = { bytes: block.bytes.subarray(start, end), number: this.#numberAt(block, start) };
    if (!this.report.context(span, this.binaryOffset !== undefined)) return false;
    this.#visited = end;
    this.#hasPrinted = true;
    return true;
  }

  #gap(start: number): void {
    const hasContext = this.report.query.before > 0 || this.report.query.after > 0;
    if (hasContext && this.#hasPrinted && this.#visited < start) this.report.gap();
  }

  #numberAt(block: TextBlock, position: number): number {
    if (position > this.#counted && this.report.showsNumbers) {
      this.#number += block.newlines(this.#counted, position);
      this.#counted = position;
    }
    return this.#number;
  }

  #isBinary(block: TextBlock, start: number, end: number): boolean {
    if (!this.looksForNul) return false;
    if (this.binaryOffset === undefined) {
      const at = block.bytes.subarray(start, end).indexOf(0);
      if (at === -1) return false;
      this.binaryOffset = this.#offset + start + at;
    }
    return this.report.quitsOnNul;
  }
}

/** The start of the `count` lines before a line. */
function back(block: TextBlock, position: number, count: number): number {
  let start = position;
  for (let i = 0; i < count && start > 0; i++) start = block.lineStart(start - 1);
  return start;
}

import { BLOCK_SIZE } from "./line_buffer.ts";
import type { MatchedPart, Report } from "./report.ts";
import type { TextBlock } from "./text_block.ts";

/** How a text is searched. */
export interface ContextOptions {
  /** Lines of context before a match. */
  before: number;
  /** Lines of context after a match. */
  after: number;
  /** Whether NUL is looked for here, in what is printed, and not where the text is read. */
  looksForNul: boolean;
}

/** Lines of a block that match. */
export interface MatchedLines {
  /** The start of the first line. */
  start: number;
  /** The end of the last line. */
  end: number;
  /** How many matches these lines have. */
  count: number;
  /** The parts of the lines that match, if the search asks for them. */
  parts: MatchedPart[];
}

/**
 * Puts matching lines and their context in order for a report, block by block.
 * Positions are bytes of the block at hand.
 */
export class ContextLines {
  /** Where the search goes on. */
  position = 0;
  /** Where the first NUL byte was seen, in the whole text. */
  binaryOffset: number | undefined;
  #report: Report;
  #options: ContextOptions;
  #visited = 0;
  #counted = 0;
  #number = 1;
  #offset = 0;
  #afterLeft = 0;
  #hasPrinted = false;

  /** Starts at the first line of a text. */
  constructor(report: Report, options: ContextOptions) {
    this.#report = report;
    this.#options = options;
  }

  /** Prints the lines `start` to `end` of the block, with the context due before them; whether to go on. */
  matched(block: TextBlock, place: MatchedLines): boolean {
    const { start, end } = place;
    if (!this.contextTo(block, start)) return false;
    this.position = end;
    if (this.#isBinary(block, start, end)) return false;
    this.#gap(start);
    const span = { bytes: block.bytes.subarray(start, end), number: this.#numberAt(block, start) };
    const goesOn = this.#report.matched(span, place, this.binaryOffset !== undefined);
    if (!goesOn) return false;
    this.#visited = end;
    this.#afterLeft = this.#options.after;
    this.#hasPrinted = true;
    return true;
  }

  /** Prints the context that is due between the last match and one at `start`; whether to go on. */
  contextTo(block: TextBlock, start: number): boolean {
    return this.contextAfter(block, start) && this.#contextBefore(block, start);
  }

  /** Prints what is due after the last match, up to a position; whether to go on. */
  contextAfter(block: TextBlock, upTo: number): boolean {
    while (this.#afterLeft > 0 && this.#visited < upTo) {
      const start = this.#visited;
      const end = block.lineEnd(start);
      if (!this.#context(block, start, end)) return false;
      this.#afterLeft--;
    }
    return true;
  }

  /** Ends a block: returns how much of it is not needed again as context. */
  roll(block: TextBlock): number {
    const size = block.bytes.length;
    const context = Math.max(this.#options.before, this.#options.after);
    const needed = context === 0 ? size : Math.max(back(block, size, context + 1), this.#visited);
    this.#numberAt(block, needed);
    this.#offset += needed;
    this.#counted = 0;
    this.#visited = 0;
    this.position = size - needed;
    return needed;
  }

  /** Looks for NUL at the beginning of a text that is searched as it is; whether to stop there. */
  looksBinary(block: TextBlock): boolean {
    return this.#isBinary(block, 0, Math.min(block.bytes.length, BLOCK_SIZE));
  }

  #contextBefore(block: TextBlock, upTo: number): boolean {
    const { before } = this.#options;
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
    if (!this.#report.context(span, this.binaryOffset !== undefined)) return false;
    this.#visited = end;
    this.#hasPrinted = true;
    return true;
  }

  #gap(start: number): void {
    const hasContext = this.#options.before > 0 || this.#options.after > 0;
    if (hasContext && this.#hasPrinted && this.#visited < start) this.#report.gap();
  }

  #numberAt(block: TextBlock, position: number): number {
    if (position > this.#counted && this.#report.showsNumbers) {
      this.#number += block.newlines(this.#counted, position);
      this.#counted = position;
    }
    return this.#number;
  }

  #isBinary(block: TextBlock, start: number, end: number): boolean {
    if (!this.#options.looksForNul) return false;
    if (this.binaryOffset === undefined) {
      const at = block.bytes.subarray(start, end).indexOf(0);
      if (at === -1) return false;
      this.binaryOffset = this.#offset + start + at;
    }
    return this.#report.quitsOnNul;
  }
}

/** Where the `count` lines before a line's beginning begin. */
function back(block: TextBlock, position: number, count: number): number {
  let start = position;
  for (let i = 0; i < count && start > 0; i++) start = block.lineStart(start - 1);
  return start;
}

import { NamedError } from "../../base/errors.ts";
import type { SystemFile } from "../../base/fs/system_file.ts";
import type { Yielder } from "../../base/async/yielder.ts";
import { ContextLines, type MatchedLines } from "./context_lines.ts";
import { chained, fileSource, readUpTo } from "./file_source.ts";
import { BLOCK_SIZE, type LineBuffer, type SyncSource } from "./line_buffer.ts";
import type { Matcher } from "./matcher.ts";
import type { Query } from "./query.ts";
import type { MatchedPart, Report } from "./report.ts";
import { TextBlock } from "./text_block.ts";

/** The largest file for a multiline search, in bytes: it needs several times its size in memory. */
export const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

/** The search of one file. */
interface FileSearch {
  query: Query;
  matcher: Matcher;
  report: Report;
  yielder: Yielder;
  /** The buffer that all files of a search share. */
  buffer: LineBuffer;
}

/** A file is too large for a multiline search in the built-in engine. */
export class FileTooLargeError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "FileTooLargeError";
}

/**
 * Searches one open file in blocks, or whole if a match may span lines. Binary data is treated as in
 * ripgrep, block for block.
 */
export async function searchFile(file: SystemFile, search: FileSearch): Promise<void> {
  const source = fileSource(file);
  const { query, matcher, report } = search;
  if (matcher.spansLines) {
    searchWhole(readWhole(file, source), search);
  } else if (query.multiline && !source.hadMark) {
    await searchMapped(source, search);
  } else {
    const context = new ContextLines(report, false);
    search.buffer.open(source, report.quitsOnNul ? "quit" : "newline");
    await searchLines(context, search);
    report.finish(search.buffer.binaryOffset);
  }
}

async function searchLines(context: ContextLines, search: FileSearch): Promise<void> {
  const { buffer } = search;
  let block = new TextBlock(buffer.lines);
  for (;;) {
    if (search.yielder.isDue) await search.yielder.yield();
    const consumed = context.roll(block);
    buffer.consume(consumed);
    const hasLines = buffer.fill();
    context.binaryOffset ??= buffer.binaryOffset;
    if (!hasLines || buffer.hasQuit) return;
    // At the end of the text only the lines kept for context are left.
    if (consumed === 0 && buffer.lines.length === block.bytes.length) return;
    block = new TextBlock(buffer.lines);
    if (!searchBlock(block, context, search)) return;
  }
}

/** Reports the matching lines of a block. Returns whether to continue. */
function searchBlock(block: TextBlock, context: ContextLines, search: FileSearch): boolean {
  const { matcher, query } = search;
  const base = context.position;
  const fresh = block.from(base);
  if (query.mode === "files_with_matches" && !query.multiline) {
    return !matcher.test(fresh) ||
      context.matched(block, { start: base, end: block.lineEnd(base), count: 1, parts: [] });
  }
  if (query.onlyMatching) {
    if (!reportMatches(block, context, search)) return false;
  } else {
    for (const found of matcher.lineStarts(fresh)) {
      const start = base + found;
      const place = { start, end: block.lineEnd(start), count: 1, parts: [] };
      if (!context.matched(block, place)) return false;
    }
  }
  context.position = block.bytes.length;
  return context.contextAfter(block, block.bytes.length);
}

/** Searches as ripgrep does in a memory map: NUL is looked for at the start and in printed lines. */
async function searchMapped(source: SyncSource, search: FileSearch): Promise<void> {
  const { report } = search;
  const head = readUpTo(source, BLOCK_SIZE);
  const context = new ContextLines(report, true);
  if (!context.looksBinary(new TextBlock(head))) {
    search.buffer.open(chained(head, source), "keep");
    await searchLines(context, search);
  }
  report.finish(context.binaryOffset);
}

function searchWhole(bytes: Uint8Array, search: FileSearch): void {
  const { report } = search;
  const block = new TextBlock(bytes);
  const context = new ContextLines(report, true);
  if (bytes.length > 0 && !context.looksBinary(block) && reportMatches(block, context, search)) {
    context.contextAfter(block, block.bytes.length);
  }
  report.finish(context.binaryOffset);
}

/**
 * Reports the matches of the block from the context's position on, and returns whether to go on.
 * Matches on one line are reported together. So are matches across lines that touch neighbouring
 * lines.
 */
function reportMatches(block: TextBlock, context: ContextLines, search: FileSearch): boolean {
  const { matcher, query } = search;
  const base = context.position;
  const fresh = block.from(base);
  let line = 0;
  let position = base;
  const startOf = (wanted: number) => {
    for (; line < wanted; line++) position = block.lineEnd(position);
    return position;
  };
  let place: MatchedLines | undefined;
  let firstLine = 0;
  for (const { first, last, text } of matcher.matches(fresh)) {
    const start = startOf(first);
    if (place === undefined || (matcher.spansLines ? place.end < start : firstLine < first)) {
      if (place !== undefined && !context.matched(block, place)) return false;
      place = { start, end: start, count: 0, parts: [] };
      firstLine = first;
    }
    if (start < block.bytes.length || line > first) place.count++;
    place.end = startOf(last + 1);
    if (query.onlyMatching) place.parts.push(...partsOf(text, first - firstLine));
  }
  if (place === undefined) return true;
  // A match after the last line end matches no line; ripgrep shows its context all the same.
  const atEnd = place.start === block.bytes.length;
  return atEnd ? context.contextTo(block, place.start) : context.matched(block, place);
}

/** The parts, one a line, of a match that begins on the line `first`. */
function partsOf(match: string, first: number): MatchedPart[] {
  return match.split("\n")
    .map((text, at) => ({ line: first + at, text }))
    .filter(({ text }) => text !== "");
}

function readWhole(file: SystemFile, source: SyncSource): Uint8Array {
  if (file.status().size > MAX_WHOLE_BYTES) throw new FileTooLargeError();
  const bytes = readUpTo(source, MAX_WHOLE_BYTES + 1);
  if (bytes.length > MAX_WHOLE_BYTES) throw new FileTooLargeError();
  return bytes;
}

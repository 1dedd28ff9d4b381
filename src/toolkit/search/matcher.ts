import type { Hir } from "rregex";
import type { Query } from "./query.ts";
import { patternError } from "./pattern_error.ts";
import {
  hasLiteralByte,
  needsWholeText,
  requiredLiteral,
  rewritePattern,
  wholeLiteral,
} from "./rust_pattern.ts";
import type { TextBlock } from "./text_block.ts";

/** A match: the indexes of its first and last line, and its text, including line ends. */
interface LineMatch {
  first: number;
  last: number;
  text: string;
}

type RustModule = typeof import("rregex");
type RustRegex = InstanceType<RustModule["RRegex"]>;

/** Candidates for marking matches: a character that does not occur in the text is chosen. */
const MARKS = [
  ...Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)),
  ...["\uE0F0", "\uE0F1", "\u{10F0F0}", "\u{10F0F1}"],
].filter((mark) => !/[\t\n\r]/.test(mark));

/**
 * A pattern compiled by ripgrep's engine, Rust's regular expressions in WebAssembly. Matching takes
 * time linear in the text. Dispose of it after use.
 */
export class Matcher implements Disposable {
  /** True if it is matched against a whole text instead of line by line. */
  readonly spansLines: boolean;
  #literal: string | undefined;
  #required: string;
  #compiled = new Map<string, RustRegex>();

  private constructor(readonly rust: RustModule, readonly hir: Hir, multiline: boolean) {
    this.spansLines = multiline && needsWholeText(hir);
    this.#literal = this.spansLines ? undefined : wholeLiteral(hir);
    this.#required = requiredLiteral(hir);
  }

  /** Compiles a pattern. Throws an Error for an invalid one, with the reason. */
  static async compile(
    { pattern, ignoreCase, multiline }: Pick<Query, "pattern" | "ignoreCase" | "multiline">,
  ): Promise<Matcher> {
    const rust = await import("rregex");
    const flags = (ignoreCase ? "i" : "") + (multiline ? "s" : "");
    try {
      const regex = new rust.RRegex(`(?m${flags})(?:${pattern})`);
      const hir = regex.syntax();
      regex.free();
      if (!multiline && hasLiteralByte(hir, 10)) {
        throw new Error('the literal "\\n" is not allowed in a regex');
      }
      if (hasLiteralByte(hir, 0)) {
        throw new Error('pattern contains "\\0" but it is impossible to match');
      }
      const matcher = new Matcher(rust, hir, multiline);
      matcher.#regex("", true);
      return matcher;
    } catch (error) {
      throw patternError(pattern, error instanceof Error ? error.message : String(error));
    }
  }

  /** Returns whether there is a match. */
  test(block: TextBlock): boolean {
    if (!block.binary.includes(this.#required)) return false;
    if (this.#literal !== undefined) return true;
    const { text, isUtf8 } = this.#searched(block);
    return this.#regex("", isUtf8).isMatch(text);
  }

  /** The starts of the lines with a match, in bytes. */
  lineStarts(block: TextBlock): number[] {
    if (this.#literal !== undefined) return literalLines(block, this.#literal);
    if (!this.test(block)) return [];
    const { text, isUtf8 } = block.decoded();
    const mark = marksFor(text)[0]!;
    // Each match extends to the end of its line, so that a line is marked once.
    const marked = this.#regex("[^\\n]*", isUtf8).replaceAll(text, mark);
    return markedLines(block, marked, mark);
  }

  /** Every match, in order. */
  matches(block: TextBlock): LineMatch[] {
    if (!this.test(block)) return [];
    const { text, isUtf8 } = this.#searched(block);
    const [open, close] = marksFor(text);
    const marked = this.#regex("", isUtf8).replaceAll(text, `${open}\${0}${close}`);
    return markedMatches(marked, open, close);
  }

  /** Frees the memory of WebAssembly. */
  [Symbol.dispose](): void {
    for (const regex of this.#compiled.values()) regex.free();
    this.#compiled.clear();
  }

  /** The text to search. In a search by lines nothing may match after the last line end. */
  #searched(block: TextBlock): { text: string; isUtf8: boolean } {
    const { text, isUtf8 } = block.decoded();
    return { text: this.spansLines || !text.endsWith("\n") ? text : text.slice(0, -1), isUtf8 };
  }

  #regex(rest: string, isUtf8: boolean): RustRegex {
    const key = rest + isUtf8;
    let regex = this.#compiled.get(key);
    if (regex === undefined) {
      const options = { byLine: !this.spansLines, exceptReplacement: !isUtf8 };
      regex = new this.rust.RRegex(`(?:${rewritePattern(this.hir, options)})${rest}`);
      this.#compiled.set(key, regex);
    }
    return regex;
  }
}

function literalLines(block: TextBlock, literal: string): number[] {
  const starts: number[] = [];
  const size = block.bytes.length;
  for (let at = block.binary.indexOf(literal); at !== -1 && at < size;) {
    starts.push(block.lineStart(at));
    at = block.binary.indexOf(literal, block.lineEnd(at));
  }
  return starts;
}

/** Finds marked lines by their number: the marked text lacks the matches but has all newlines. */
function markedLines(block: TextBlock, marked: string, mark: string): number[] {
  const starts: number[] = [];
  let start = 0;
  let line = 0;
  for (let at = marked.indexOf(mark); at !== -1; at = marked.indexOf(mark, at + 1)) {
    for (let end = marked.indexOf("\n", line); end !== -1 && end < at;) {
      start = block.lineEnd(start);
      line = end + 1;
      end = marked.indexOf("\n", line);
    }
    // There is no line after the last newline.
    if (start < block.bytes.length && starts.at(-1) !== start) starts.push(start);
  }
  return starts;
}

function markedMatches(marked: string, open: string, close: string): LineMatch[] {
  const matches: LineMatch[] = [];
  const interesting = new RegExp(`[${open}${close}\\n]`, "gu");
  let line = 0;
  let first = 0;
  let start = 0;
  for (let found = interesting.exec(marked); found !== null; found = interesting.exec(marked)) {
    if (found[0] === "\n") line++;
    else if (found[0] === open) {
      first = line;
      start = interesting.lastIndex;
    } else {
      const text = marked.slice(start, found.index);
      const last = text.endsWith("\n") ? Math.max(first, line - 1) : line;
      matches.push({ first, last, text });
    }
  }
  return matches;
}

function marksFor(text: string): [string, string] {
  const [first, second] = MARKS.filter((mark) => !text.includes(mark));
  if (first === undefined || second === undefined) {
    throw new Error("Cannot search a text that holds every control character");
  }
  return [first, second];
}

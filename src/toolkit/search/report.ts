import type { SystemFile } from "../../base/fs/system_file.ts";
import type { Query, Results } from "./query.ts";
import { resultLine } from "./result_line.ts";

/** One or more lines of the searched text, each with its newline, and the number of the first. */
interface LineSpan {
  bytes: Uint8Array;
  number: number;
}

/** A matching part of a line. */
export interface MatchedPart {
  /** The index of its line in the span. */
  line: number;
  /** Its text; never empty. */
  text: string;
}

const encoder = new TextEncoder();

/** Prints the matches in one file as the output mode requires. */
export class Report {
  /** True if NUL ends the search of the file. */
  readonly quitsOnNul: boolean;
  /** True if it has printed anything. */
  hasPrinted = false;
  #shown: string;
  #matches = 0;

  /** Takes a query and a file. `separate` prints `--` before the file's first line. */
  constructor(
    readonly query: Query,
    readonly results: Results,
    readonly file: { path: string; open: Pick<SystemFile, "status">; separate: boolean },
  ) {
    this.#shown = query.show(file.path);
    this.quitsOnNul = !query.isFile;
  }

  /** True if line numbers are printed. */
  get showsNumbers(): boolean {
    return this.query.mode === "content" && this.query.lineNumbers;
  }

  /** Takes matching lines with their matches. Returns whether to continue. */
  matched(
    span: LineSpan,
    { count, parts }: { count: number; parts: readonly MatchedPart[] },
    isBinary: boolean,
  ): boolean {
    this.#matches += count;
    if (this.query.mode === "files_with_matches") return false;
    if (this.query.mode === "count") return true;
    if (isBinary && !this.quitsOnNul) return false;
    if (!this.query.onlyMatching) this.#lines(span, "match");
    else {
      for (const { line, text } of parts) {
        this.#line(encoder.encode(text), span.number + line, "match");
      }
    }
    return true;
  }

  /** Takes a line of context. Returns whether to continue. */
  context(span: LineSpan, isBinary: boolean): boolean {
    if (isBinary && !this.quitsOnNul) return false;
    this.#lines(span, "context");
    return true;
  }

  /** Prints a separator for skipped lines. */
  gap(): void {
    this.results.line("--");
  }

  /** Ends the file; `binaryOffset` is the position of the first NUL. */
  finish(binaryOffset: number | undefined): void {
    if (this.#matches === 0) return;
    const isBinary = binaryOffset !== undefined;
    if (this.query.mode === "content") {
      if (!isBinary) return;
      const what = this.quitsOnNul
        ? "WARNING: stopped searching binary file after match"
        : "binary file matches";
      this.#print(`${this.#shown}: ${what} (found "\\0" byte around offset ${binaryOffset})`);
    } else if (!(isBinary && this.quitsOnNul)) {
      this.results.file({
        path: this.file.path,
        shown: this.#shown,
        ...(this.query.mode === "count"
          ? { count: this.#matches }
          // Asking the open file for its time costs a fifth of asking by path.
          : { modified: this.file.open.status().changed }),
      });
    }
  }

  #lines(span: LineSpan, kind: "match" | "context"): void {
    let number = span.number;
    for (let start = 0; start < span.bytes.length; number++) {
      const newline = span.bytes.indexOf(10, start);
      const end = newline === -1 ? span.bytes.length : newline;
      this.#line(span.bytes.subarray(start, end), number, kind);
      start = end + 1;
    }
  }

  #line(bytes: Uint8Array, lineNumber: number, kind: "match" | "context"): void {
    const number = this.query.lineNumbers ? lineNumber : undefined;
    const line = resultLine({ path: this.#shown, number, kind, bytes, size: bytes.length });
    this.#print(line.text, line.isCut);
  }

  #print(line: string, isCut = false): void {
    if (this.file.separate && !this.hasPrinted) this.results.line("--");
    this.hasPrinted = true;
    this.results.line(line, isCut);
  }
}

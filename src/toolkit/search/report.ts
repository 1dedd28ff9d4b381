import type { SystemFile } from "../../base/fs/system_file.ts";
import type { Query, Results } from "./query.ts";
import { resultLine } from "./result_line.ts";

/** A line, or several, of the text that is being searched. */
export interface LineSpan {
  /** The bytes, each line with its newline. */
  bytes: Uint8Array;
  /** The number of the first line. */
  number: number;
}

/** The part of one of several lines that matches. */
export interface MatchedPart {
  /** The number of its line among these lines, from 0. */
  line: number;
  /** Its text, which is not empty. */
  text: string;
}

const encoder = new TextEncoder();

/** Takes what is found in one file and prints it as the mode says. */
export class Report {
  /** Whether NUL ends the search of a file. */
  readonly quitsOnNul: boolean;
  #query: Query;
  #results: Results;
  #path: string;
  #file: Pick<SystemFile, "status">;
  #shown: string;
  #matches = 0;
  #separate: boolean;
  #printed = false;

  /** `separate`: whether a line `--` is due before the file's first line. */
  constructor(
    query: Query,
    results: Results,
    file: {
      path: string;
      open: Pick<SystemFile, "status">;
      quitsOnNul: boolean;
      separate: boolean;
    },
  ) {
    this.#query = query;
    this.#results = results;
    this.#path = file.path;
    this.#file = file.open;
    this.#shown = query.show(file.path);
    this.#separate = file.separate;
    this.quitsOnNul = file.quitsOnNul;
  }

  /** Whether it has printed anything. */
  get hasPrinted(): boolean {
    return this.#printed;
  }

  /** Whether lines' numbers are wanted at all. */
  get showsNumbers(): boolean {
    return this.#query.mode === "content" && this.#query.lineNumbers;
  }

  /** Takes matching lines with their matches; whether to go on. */
  matched(
    span: LineSpan,
    { count, parts }: { count: number; parts: readonly MatchedPart[] },
    isBinary: boolean,
  ): boolean {
    this.#matches += count;
    if (this.#query.mode === "files_with_matches") return false;
    if (this.#query.mode === "count") return true;
    if (isBinary && !this.quitsOnNul) return false;
    if (this.#query.onlyMatching) this.#parts(span, parts);
    else this.#lines(span, "match");
    return true;
  }

  /** Takes a line of context; whether to go on. */
  context(span: LineSpan, isBinary: boolean): boolean {
    if (isBinary && !this.quitsOnNul) return false;
    this.#lines(span, "context");
    return true;
  }

  /** Marks that lines are left out here. */
  gap(): void {
    this.#results.line("--");
  }

  /** Ends the file; `binaryOffset` is where NUL was seen first. */
  finish(binaryOffset: number | undefined): void {
    if (this.#matches === 0) return;
    const { mode } = this.#query;
    const isBinary = binaryOffset !== undefined;
    if (mode === "content") {
      if (isBinary) this.#print(`${this.#shown}: ${this.#binaryNote(binaryOffset)}`);
    } else if (!(isBinary && this.quitsOnNul)) {
      const file = { path: this.#path, shown: this.#shown };
      // By the open file its time costs a fifth of what it does by its path.
      const modified = () => this.#file.status().changed;
      this.#results.file(
        mode === "count" ? { ...file, count: this.#matches } : { ...file, modified: modified() },
      );
    }
  }

  #binaryNote(offset: number): string {
    const what = this.quitsOnNul
      ? "WARNING: stopped searching binary file after match"
      : "binary file matches";
    return `${what} (found "\\0" byte around offset ${offset})`;
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

  #parts(span: LineSpan, parts: readonly MatchedPart[]): void {
    for (const { line, text } of parts) {
      this.#line(encoder.encode(text), span.number + line, "match");
    }
  }

  #line(bytes: Uint8Array, lineNumber: number, kind: "match" | "context"): void {
    const number = this.#query.lineNumbers ? lineNumber : undefined;
    const line = resultLine({ path: this.#shown, number, kind, bytes, size: bytes.length });
    this.#print(line.text, line.isCut);
  }

  #print(line: string, isCut = false): void {
    if (this.#separate && !this.#printed) this.#results.line("--");
    this.#printed = true;
    this.#results.line(line, isCut);
  }
}

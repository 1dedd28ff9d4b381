import type { Query, Results } from "./query.ts";
import { resultLine } from "./result_line.ts";

/** A line, or several, of the text that is being searched. */
export interface LineSpan {
  /** The bytes, each line with its newline. */
  bytes: Uint8Array;
  /** The number of the first line. */
  number: number;
}

/** Takes what is found in one file and prints it as the mode says. */
export class Report {
  /** Whether NUL ends the search of a file. */
  readonly quitsOnNul: boolean;
  #query: Query;
  #results: Results;
  #path: string;
  #matches = 0;
  #separate: boolean;
  #printed = false;

  /** `separate`: whether a line `--` is due before the file's first line. */
  constructor(
    query: Query,
    results: Results,
    file: { path: string; quitsOnNul: boolean; separate: boolean },
  ) {
    this.#query = query;
    this.#results = results;
    this.#path = query.show(file.path);
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

  /** Takes matching lines with `count` matches; whether to go on. */
  matched(span: LineSpan, count: number, isBinary: boolean): boolean {
    this.#matches += count;
    if (this.#query.mode === "files_with_matches") return false;
    if (this.#query.mode === "count") return true;
    if (isBinary && !this.quitsOnNul) return false;
    this.#lines(span, "match");
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
    this.#results.add("--");
  }

  /** Ends the file; `binaryOffset` is where NUL was seen first. */
  finish(binaryOffset: number | undefined): void {
    if (this.#matches === 0) return;
    const { mode } = this.#query;
    const isBinary = binaryOffset !== undefined;
    if (mode === "content") {
      if (isBinary) this.#print(`${this.#path}: ${this.#binaryNote(binaryOffset)}`);
    } else if (!(isBinary && this.quitsOnNul)) {
      this.#print(mode === "count" ? `${this.#path}:${this.#matches}` : this.#path);
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
      const shown = this.#query.lineNumbers ? number : undefined;
      const bytes = span.bytes.subarray(start, end);
      const line = resultLine({ path: this.#path, number: shown, kind, bytes, size: end - start });
      this.#print(line.text, line.isCut);
      start = end + 1;
    }
  }

  #print(line: string, isCut = false): void {
    if (this.#separate && !this.#printed) this.#results.add("--");
    this.#printed = true;
    this.#results.add(line, isCut);
  }
}

import { concat } from "@std/bytes/concat";
import { decodeUtf8Lossy } from "../../base/text/utf8.ts";
import type { Query, Results } from "./query.ts";
import { resultLine } from "./result_line.ts";

const NUL = 0;
const NEWLINE = 10;
const COLON = 58;

/** The most of a long line's record that is kept, in bytes. */
const MAX_RECORD = 64 * 1024;

/** ripgrep's message on a binary file: a separate line without NUL. */
const BINARY_LINE =
  /^(.*): ((?:binary file matches|WARNING: stopped searching binary file after match) \(found "\\0" byte around offset \d+\))$/s;

/** Parses the output of ripgrep into results. */
export class RgRecords {
  #rest = new Uint8Array(0);
  #dropped = 0;

  /**
   * Takes the query and the receiver of its results. Files that `mayShow` refuses are left out.
   */
  constructor(
    readonly query: Query,
    readonly results: Results,
    readonly mayShow: ((path: string) => boolean) | undefined,
  ) {}

  /** Takes the next piece of output, whose memory is used again afterwards. */
  push(chunk: Uint8Array<ArrayBuffer>): void {
    const bytes = this.#dropped > 0
      ? this.#afterDropped(chunk)
      : this.#rest.length === 0
      ? chunk
      : concat([this.#rest, chunk]);
    if (bytes === undefined) return;
    let start = 0;
    for (;;) {
      const end = this.#record(bytes, start);
      if (end === -1) break;
      start = end;
    }
    // Keep an incomplete line up to a limit, and count the rest of its bytes.
    this.#dropped = Math.max(0, bytes.length - start - MAX_RECORD);
    this.#rest = bytes.slice(start, start + MAX_RECORD);
  }

  /** Takes the end of the output. */
  end(): void {
    if (this.query.mode === "content") this.#binaryLines(decodeUtf8Lossy(this.#rest));
  }

  #afterDropped(chunk: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    const end = chunk.indexOf(NEWLINE);
    if (end === -1) {
      this.#dropped += chunk.length;
      return undefined;
    }
    const size = this.#dropped + end;
    this.#dropped = 0;
    this.#line(concat([this.#rest, new Uint8Array([NEWLINE])]), { start: 0, more: size });
    return chunk.slice(end + 1);
  }

  /** Parses one record. Returns the start of the next, or -1 if the record is incomplete. */
  #record(bytes: Uint8Array, start: number): number {
    if (this.query.mode === "content") return this.#line(bytes, { start, more: 0 });
    const end = bytes.indexOf(NUL, start);
    if (end === -1) return -1;
    const path = decodeUtf8Lossy(bytes.subarray(start, end));
    const file = { path, shown: this.query.show(path) };
    if (this.query.mode === "files_with_matches") {
      if (this.#shows(path)) this.results.file(file);
      return end + 1;
    }
    const last = bytes.indexOf(NEWLINE, end);
    if (last === -1) return -1;
    const count = Number(decodeUtf8Lossy(bytes.subarray(end + 1, last)));
    if (this.#shows(path)) this.results.file({ ...file, count });
    return last + 1;
  }

  #line(bytes: Uint8Array, place: { start: number; more: number }): number {
    const { start, more } = place;
    const nul = bytes.indexOf(NUL, start);
    if (nul === -1 || nul + 2 >= bytes.length) return -1;
    if (bytes[nul + 1] === NUL) {
      this.#binaryLines(decodeUtf8Lossy(bytes.subarray(start, nul)));
      this.results.line("--");
      return nul + 3;
    }
    const numberEnd = this.query.lineNumbers ? bytes.indexOf(NUL, nul + 2) : nul;
    if (numberEnd === -1) return -1;
    const end = bytes.indexOf(NEWLINE, numberEnd + 2);
    if (end === -1) return -1;
    const kind = bytes[nul + 1] === COLON ? "match" : "context";
    const shown = bytes.subarray(numberEnd + 2, end);
    // Empty matches are not shown.
    if (this.query.onlyMatching && kind === "match" && shown.length === 0) return end + 1;
    // Behind the last line that is shown, lines are only counted, which takes no text of them.
    const isPlain = this.mayShow === undefined && bytes.indexOf(NEWLINE, start) > nul;
    if (isPlain && !this.results.showsNextLine) {
      this.results.line("");
      return end + 1;
    }
    const number = numberEnd === nul
      ? undefined
      : Number(decodeUtf8Lossy(bytes.subarray(nul + 2, numberEnd)));
    const path = this.#binaryLines(decodeUtf8Lossy(bytes.subarray(start, nul)));
    if (!this.#shows(path)) return end + 1;
    const size = shown.length + more;
    const line = resultLine({ path: this.query.show(path), number, kind, bytes: shown, size });
    this.results.line(line.text, line.isCut);
    return end + 1;
  }

  #shows(path: string): boolean {
    return this.mayShow === undefined || this.mayShow(path);
  }

  /** Parses the messages on binary files before a path, and returns the path. */
  #binaryLines(before: string): string {
    let rest = before;
    for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", end + 1)) {
      const found = BINARY_LINE.exec(rest.slice(0, end));
      if (found === null) continue;
      this.results.line(`${this.query.show(found[1]!)}: ${found[2]}`);
      rest = rest.slice(end + 1);
      end = -1;
    }
    return rest;
  }
}

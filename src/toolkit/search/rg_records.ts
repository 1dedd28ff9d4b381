import { concat } from "@std/bytes/concat";
import { decodeUtf8Lossy } from "../../base/text/utf8.ts";
import { hasColumns, type Query, type Results } from "./query.ts";
import { ENOUGH_BYTES, type LinePart, resultLine } from "./result_line.ts";

const NUL = 0;
const NEWLINE = 10;
const COLON = 58;

/** The most of the beginning of a long line's record that is kept, in bytes. */
const MAX_RECORD = 64 * 1024;

/** ripgrep's message on a binary file: a separate line without NUL. */
const BINARY_LINE =
  /^(.*): ((?:binary file matches|WARNING: stopped searching binary file after match) \(found "\\0" byte around offset \d+\))$/s;

/** Parses the output of ripgrep into results. */
export class RgRecords {
  #rest = new Uint8Array(0);
  /** The number of bytes of a long record after `#rest`, and those of them around its first match. */
  #dropped = 0;
  #around: Uint8Array[] = [];

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
    const left = bytes.subarray(start);
    this.#rest = left.slice(0, MAX_RECORD);
    if (left.length > MAX_RECORD) this.#drop(left.subarray(MAX_RECORD));
  }

  /** Takes the end of the output. */
  end(): void {
    if (this.query.mode === "content") this.#binaryLines(decodeUtf8Lossy(this.#rest));
  }

  #afterDropped(chunk: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    const end = chunk.indexOf(NEWLINE);
    this.#drop(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return undefined;
    this.#line(concat([this.#rest, new Uint8Array([NEWLINE])]), 0);
    this.#dropped = 0;
    this.#around = [];
    return chunk.slice(end + 1);
  }

  /** Counts bytes of a long record, and keeps those that may be shown. */
  #drop(bytes: Uint8Array): void {
    const at = MAX_RECORD + this.#dropped;
    this.#dropped += bytes.length;
    const fields = fieldsOf(this.#rest, { start: 0, query: this.query });
    if (fields === undefined) return;
    const match = fields.textStart + fields.match;
    const [from, to] = [match - ENOUGH_BYTES, match + ENOUGH_BYTES]
      .map((place) => Math.max(0, place - at)) as [number, number];
    if (to > from) this.#around.push(bytes.slice(from, to));
  }

  /** The part of a record's line to show, of which `text` was kept. */
  #partOf(text: Uint8Array, { match }: LineFields): LinePart {
    const size = text.length + this.#dropped;
    const isInText = this.#dropped === 0 || match + ENOUGH_BYTES <= text.length;
    if (isInText) return { bytes: text, start: 0, size, match };
    const start = Math.max(0, match - ENOUGH_BYTES);
    return { bytes: concat([text.subarray(start), ...this.#around]), start, size, match };
  }

  /** Parses one record. Returns the start of the next, or -1 if the record is incomplete. */
  #record(bytes: Uint8Array, start: number): number {
    if (this.query.mode === "content") return this.#line(bytes, start);
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

  #line(bytes: Uint8Array, start: number): number {
    const nul = bytes.indexOf(NUL, start);
    if (nul === -1 || nul + 2 >= bytes.length) return -1;
    if (bytes[nul + 1] === NUL) {
      this.#binaryLines(decodeUtf8Lossy(bytes.subarray(start, nul)));
      this.results.line("--");
      return nul + 3;
    }
    const fields = fieldsOf(bytes, { start, query: this.query });
    if (fields === undefined) return -1;
    const end = bytes.indexOf(NEWLINE, fields.textStart);
    if (end === -1) return -1;
    const { kind, number } = fields;
    const text = bytes.subarray(fields.textStart, end);
    // Empty matches are not shown.
    if (this.query.onlyMatching && kind === "match" && text.length === 0) return end + 1;
    // Behind the last line that is shown, lines are only counted, which takes no text of them.
    const isPlain = this.mayShow === undefined && bytes.indexOf(NEWLINE, start) > nul;
    if (isPlain && !this.results.showsNextLine) {
      this.results.line("");
      return end + 1;
    }
    const path = this.#binaryLines(decodeUtf8Lossy(bytes.subarray(start, nul)));
    if (!this.#shows(path)) return end + 1;
    const part = this.#partOf(text, fields);
    const line = resultLine({ path: this.query.show(path), number, kind, part });
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

/** The fields of a record before the text of its line. */
interface LineFields {
  kind: "match" | "context";
  number: number | undefined;
  /** The number of bytes of the text before its first match; 0 for a line of context. */
  match: number;
  /** The place of the text's first byte. */
  textStart: number;
}

/** The fields of a record after its path; `undefined` if they are incomplete. */
function fieldsOf(
  bytes: Uint8Array,
  { start, query }: { start: number; query: Query },
): LineFields | undefined {
  let end = bytes.indexOf(NUL, start);
  const kind = bytes[end + 1] === COLON ? "match" : "context";
  const next = () => {
    const from = end + 2;
    end = bytes.indexOf(NUL, from);
    return Number(decodeUtf8Lossy(bytes.subarray(from, end)));
  };
  const number = query.lineNumbers ? next() : undefined;
  if (end === -1) return undefined;
  const column = kind === "match" && hasColumns(query) ? next() : 1;
  return end === -1 ? undefined : { kind, number, match: column - 1, textStart: end + 2 };
}

import type { Reading } from "../dialect/incoming.ts";
import { decodeInput } from "../dialect/request.ts";
import {
  plainLine,
  readSubmittedLine,
  type SubmittedLine,
  unreadableLine,
} from "./submitted_line.ts";

/** The characters before and after the visible ones of ASCII. */
const [SPACE, DELETE] = [0x20, 0x7f];

/** A line that was read, from its bytes to its result. */
export class InputLine {
  #decoded: { text: string } | { failure: unknown } | undefined;

  /** Takes the bytes without the line end, and the number, from 1. */
  constructor(readonly bytes: Uint8Array, readonly number: number) {}

  /** The number of its bytes, with its line end. */
  get length(): number {
    return this.bytes.length + 1;
  }

  /** Whether there is nothing in it. */
  get isBlank(): boolean {
    const first = this.bytes[0];
    // Most lines begin with a visible character. They are not decoded, because a thread may do that.
    if (first !== undefined && first > SPACE && first < DELETE) return false;
    const { text } = this;
    return text !== undefined && !/\S/.test(text);
  }

  /** Its text, unless it is too long or not UTF-8. */
  get text(): string | undefined {
    const decoded = this.#decode();
    return "text" in decoded ? decoded.text : undefined;
  }

  /** Returns the call in the simplest form of a line, if it has that form. */
  plain(): ReturnType<typeof plainLine> {
    const { text } = this;
    return text === undefined ? undefined : plainLine(text, this.number);
  }

  /** Reads the calls in it. A line that cannot be read has one call with the failure. */
  async read(reading: Reading): Promise<SubmittedLine> {
    const decoded = this.#decode();
    return "text" in decoded
      ? await readSubmittedLine(decoded.text, this.number, reading)
      : unreadableLine(decoded.failure, this.number);
  }

  #decode(): { text: string } | { failure: unknown } {
    if (this.#decoded !== undefined) return this.#decoded;
    try {
      return this.#decoded = { text: decodeInput(this.bytes) };
    } catch (failure) {
      return this.#decoded = { failure };
    }
  }
}

import type { Reading } from "../dialect/incoming.ts";
import { decodeInput } from "../dialect/request.ts";
import {
  plainLine,
  readSubmittedLine,
  type SubmittedLine,
  unreadableLine,
} from "./submitted_line.ts";

/** A line that was read, from its bytes to its result. */
export class InputLine {
  /** Its number, from 1. */
  readonly number: number;
  /** The number of its bytes, with its line end. */
  readonly length: number;
  /** Whether there is nothing in it. */
  readonly isBlank: boolean;
  /** Its text, unless it is too long or not UTF-8. */
  readonly text: string | undefined;
  readonly #failure: unknown;

  /** Takes the bytes without the line end, and the number. */
  constructor(bytes: Uint8Array, number: number) {
    this.number = number;
    this.length = bytes.length + 1;
    try {
      this.text = decodeInput(bytes);
    } catch (error) {
      this.#failure = error;
    }
    this.isBlank = this.text !== undefined && !/\S/.test(this.text);
  }

  /** Returns the call in the simplest form of a line, if it has that form. */
  plain(): ReturnType<typeof plainLine> {
    return this.text === undefined ? undefined : plainLine(this.text, this.number);
  }

  /** Reads the calls in it. A line that cannot be read has one call with the failure. */
  async read(reading: Reading): Promise<SubmittedLine> {
    return this.text === undefined
      ? unreadableLine(this.#failure, this.number)
      : await readSubmittedLine(this.text, this.number, reading);
  }
}

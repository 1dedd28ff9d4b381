/** The first line of a server, which tells what the server is. */

import { concat } from "@std/bytes/concat";

/** The most bytes up to the end of the line. The line of a server in a large cluster has 60 KiB. */
export const MAX_FIRST_LINE_BYTES = 256 * 1024;

const LINE_FEED = 10;

/** Collects the chunks of a server until they have its first line. */
export class FirstLine {
  #read: Uint8Array = new Uint8Array();

  /**
   * Adds a chunk. Returns all the bytes once they have the line, and `undefined` before. Throws if the
   * line is too long.
   */
  add(chunk: Uint8Array): Uint8Array | undefined {
    this.#read = concat([this.#read, chunk]);
    if (chunk.includes(LINE_FEED)) return this.#read;
    if (this.#read.length <= MAX_FIRST_LINE_BYTES) return undefined;
    throw new Error(
      `the answer does not come from a NATS server: its first line has more than ` +
        `${MAX_FIRST_LINE_BYTES / 1024} KiB; check the host and the port`,
    );
  }
}

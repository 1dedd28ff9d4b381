import { concat } from "@std/bytes/concat";
import { nextTurn } from "../../../base/async/next_turn.ts";
import { byteSize } from "../../../base/text/amounts.ts";
import { errorCode } from "../../../base/error_code.ts";
import type { SystemFile } from "../../../base/fs/system_file.ts";
import { openTarget } from "../../../base/fs/file_target.ts";
import { cannot, type FileTarget, systemError } from "../../../base/fs/system_error.ts";
import type { CallFile } from "../call_file.ts";

const FIRST_CHUNK = 64 * 1024;
const CHUNK = 1024 * 1024;
const TURN = 32 * CHUNK;
const UNSIZED_LIMIT = 64 * 1024 * 1024;

/** The part of an open file that is used here; the size is in bytes. */
export type OpenFile = Pick<SystemFile, "readSync" | "close"> & { status(): { size: number } };

/**
 * The bytes of an open regular file in order, in constant memory. A file that grows is read up to
 * the size it had when it was opened. A file that gives its size as 0, such as those of `/proc`, is
 * read up to 64 MiB. No read waits for data.
 */
export class ByteSource {
  /** The size in bytes when the file was opened; 0 can mean unknown. */
  readonly size: number;
  /** The file, for messages. */
  readonly target: FileTarget;
  /** Aborted when the call has to end. */
  readonly signal: AbortSignal;
  /** The number of bytes that `read` has returned. */
  position = 0;
  #file: OpenFile;
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  #ahead: Uint8Array<ArrayBuffer> | undefined;
  #fetched = 0;

  /** Takes over an open file. */
  constructor(file: OpenFile, options: { target: FileTarget; signal: AbortSignal }) {
    this.#file = file;
    this.size = file.status().size;
    this.target = options.target;
    this.signal = options.signal;
  }

  /**
   * Returns the next bytes, at least one, or `undefined` at the end. They are valid until the next
   * `read`. Throws when the signal is aborted or the system fails.
   */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const chunk = await this.peek();
    this.#ahead = undefined;
    this.position += chunk?.length ?? 0;
    return chunk;
  }

  /** Returns what the next `read` will return. */
  async peek(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#ahead ??= await this.#fetch();
  }

  /** Reads to the end, or the first `most` bytes. */
  async readUpTo(most: number): Promise<Uint8Array<ArrayBuffer>> {
    let bytes = new Uint8Array(Math.min(this.size || FIRST_CHUNK, most));
    let used = 0;
    while (used < most) {
      const chunk = (await this.read())?.subarray(0, most - used);
      if (!chunk) break;
      if (used + chunk.length > bytes.length) {
        bytes = concat([bytes, new Uint8Array(bytes.length + chunk.length)]);
      }
      bytes.set(chunk, used);
      used += chunk.length;
    }
    return bytes.subarray(0, used);
  }

  /** Reads to the end. Throws for more than `limit` bytes; `advice` ends the message. */
  async readAll(limit: number, advice: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = this.size > limit ? undefined : await this.readUpTo(limit + 1);
    if (bytes && bytes.length <= limit) return bytes;
    const size = this.size > limit ? byteSize(this.size) : `more than ${byteSize(limit)}`;
    throw new Error(`${cannot(this.target)}: it has ${size}; ${advice}`);
  }

  /** True if a file of unknown size has more than the 64 MiB that are read. */
  get cutShort(): boolean {
    return this.size === 0 && this.#fetched >= UNSIZED_LIMIT;
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#file.close();
  }

  async #fetch(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const left = (this.size || UNSIZED_LIMIT) - this.#fetched;
    if (left <= 0) return undefined;
    const wanted = Math.min(left, this.#fetched === 0 ? FIRST_CHUNK : CHUNK);
    if (!this.#buffer || this.#buffer.length < wanted) this.#buffer = new Uint8Array(wanted);
    const buffer = this.#buffer.subarray(0, wanted);
    // In a scan of gigabytes, an abort is noticed only in such a turn.
    if (this.#fetched % TURN > TURN - CHUNK) await nextTurn();
    this.signal.throwIfAborted();
    const count = this.#fill(buffer);
    this.#fetched += count ?? 0;
    return count ? buffer.subarray(0, count) : undefined;
  }

  /** Some files of `/proc` and `/sys` block until they have data. This does not wait for them. */
  #fill(buffer: Uint8Array<ArrayBuffer>): number | null {
    try {
      return this.#file.readSync(buffer);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") throw systemError(error, this.target);
      throw new Error(`${cannot(this.target)}: it gives no data`);
    }
  }
}

/**
 * Opens a regular file without waiting. Throws a readable error for anything else; for a missing
 * file it names similar ones.
 */
export async function openSource(target: CallFile, signal: AbortSignal): Promise<ByteSource> {
  const file = openTarget(target);
  return file ? new ByteSource(file, { target, signal }) : await failMissing(target);
}

/** Throws the error for a missing file, which names similar ones. */
export async function failMissing(file: CallFile): Promise<never> {
  const { missingError } = await import("../missing_error.ts");
  throw missingError(file);
}

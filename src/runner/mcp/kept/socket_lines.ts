import { MAX_MESSAGE_BYTES } from "../bounded_fetch.ts";

/** The most bytes that wait for a reader. One message of the greatest size has to fit. */
const MAX_UNREAD_BYTES = 2 * MAX_MESSAGE_BYTES;

/** Writes JSON objects as lines to a socket, in order and in bounded memory. */
export class SocketLines {
  #written: Promise<void> = Promise.resolve();
  #unread = 0;
  #isBroken = false;
  #isClosed = false;

  /**
   * Takes the socket. `onBroken` is called once if the other side has gone or does not read. Nothing
   * more is written then, and the caller closes the socket.
   */
  constructor(readonly socket: Deno.Conn, readonly onBroken: () => void) {}

  /** Resolves when all is written, or cannot be. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Writes an object. Resolves when it is written, or cannot be. */
  write(value: Record<string, unknown>): Promise<void> {
    const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
    this.#unread += bytes.length;
    if (this.#unread > MAX_UNREAD_BYTES) this.#break();
    return this.#written = this.#written.then(async () => {
      if (this.#isBroken || this.#isClosed) return;
      await this.#writeAll(bytes).catch(() => this.#break());
      this.#unread -= bytes.length;
    });
  }

  /** Closes the socket, what is not written yet included. Never throws. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.socket.close();
    } catch { /* It is closed already. */ }
  }

  /** A stream would close the socket after an error, and what the other side has sent were lost. */
  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.socket.write(bytes.subarray(at));
  }

  #break(): void {
    if (this.#isBroken || this.#isClosed) return;
    this.#isBroken = true;
    this.onBroken();
  }
}

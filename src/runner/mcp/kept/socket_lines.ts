import { MAX_MESSAGE_BYTES } from "../bounded_fetch.ts";

/** The most bytes that wait for a reader. One message of the greatest size has to fit. */
const MAX_UNREAD_BYTES = 2 * MAX_MESSAGE_BYTES;

/** Writes JSON objects as lines to a socket, in order and in bounded memory. */
export class SocketLines {
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #written: Promise<void> = Promise.resolve();
  #unread = 0;
  #isClosed = false;

  /** Takes the socket. `onBroken` is called if the other side has gone or does not read. */
  constructor(readonly socket: Deno.Conn, readonly onBroken: () => void) {
    this.#writer = socket.writable.getWriter();
  }

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
      if (this.#isClosed) return;
      await this.#writer.write(bytes).catch(() => this.#break());
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

  #break(): void {
    if (this.#isClosed) return;
    this.close();
    this.onBroken();
  }
}

import type { EagerPipes } from "../../../base/fs/eager_pipes.ts";
import { writeSome } from "../../../base/fs/write_some.ts";
import type { Sink } from "../../cli/streams.ts";

/** Writes messages as lines, in order. Those that wait for the stream are written together. */
export class LineWriter {
  #lines: string[] = [];
  #unread = 0;
  #writing: Promise<void> | undefined;
  #isStopped = false;

  /**
   * Takes stdout, and what writes a few bytes to it at once. `onWritten` is called when something was
   * written, and `onBroken` when the reader has gone.
   */
  constructor(
    readonly stream: Sink,
    readonly listeners: { onWritten(): void; onBroken(): void },
    readonly pipes: Pick<EagerPipes, "write">,
  ) {}

  /** The number of characters that the reader has not read yet. */
  get unread(): number {
    return this.#unread;
  }

  /** Resolves when all lines are written, or nothing more is written. */
  get written(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  /** Writes a message. Resolves when it is written, or nothing more is written. */
  write(message: string): Promise<void> {
    const line = `${message}\n`;
    this.#lines.push(line);
    this.#unread += line.length;
    return this.#writing ??= this.#writeAll();
  }

  /** Writes nothing more. */
  stop(): void {
    this.#isStopped = true;
  }

  async #writeAll(): Promise<void> {
    // The answers of one turn are written together.
    await null;
    while (this.#lines.length > 0) {
      const lines = this.#lines.join("");
      this.#lines = [];
      const bytes = new TextEncoder().encode(lines);
      try {
        let at = this.#isStopped ? 0 : this.pipes.write(this.stream, bytes);
        while (at < bytes.length && !this.#isStopped) {
          at += await writeSome(this.stream, bytes.subarray(at));
        }
      } catch {
        this.listeners.onBroken();
      }
      this.#unread -= lines.length;
      this.listeners.onWritten();
    }
    // At once, because a line that comes later has to begin another turn.
    this.#writing = undefined;
  }
}

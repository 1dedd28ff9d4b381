import { throwGone } from "../../base/terminal/screen.ts";

/** How long what was typed before a question was there takes to arrive, in milliseconds. */
const TYPED_AHEAD_MS = 30;

/** The part of a file of the terminal that is used here. */
export type TerminalFile = Pick<Deno.FsFile, "read" | "setRaw">;

/**
 * What a person types. A read of a terminal cannot be taken back, so one that nobody
 * waits for any more is kept for the next who asks: a process has one of these.
 */
export class TerminalInput {
  #file: TerminalFile;
  #decoder = new TextDecoder();
  #pending: Promise<string | null> | undefined;

  /** Takes the terminal, open for reading. */
  constructor(file: TerminalFile) {
    this.#file = file;
  }

  /**
   * Turns raw mode on: each key is delivered as it is, without echo. Throws `unavailable` when the
   * terminal is gone.
   */
  enterRaw(): void {
    try {
      this.#file.setRaw(true);
    } catch {
      throwGone();
    }
  }

  /** Sets the terminal as it was before. */
  leaveRaw(): void {
    try {
      this.#file.setRaw(false);
    } catch { /* a terminal that is gone needs nothing */ }
  }

  /**
   * What is typed next, which may be a part of a character and then is empty; `null` when the
   * terminal is at its end, and `undefined` when nothing comes within `ms` milliseconds. Throws
   * the signal's reason when it is aborted, and `unavailable` when the terminal is gone.
   */
  async read(
    { signal, ms }: { signal: AbortSignal; ms?: number },
  ): Promise<string | null | undefined> {
    signal.throwIfAborted();
    const pending = this.#pending ??= this.#next();
    const { promise: early, resolve, reject } = Promise.withResolvers<undefined>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = ms === undefined ? undefined : setTimeout(() => resolve(undefined), ms);
    try {
      const text = await Promise.race([pending, early]);
      if (text !== undefined) this.#pending = undefined;
      return text;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Drops what was typed before now: it cannot be meant for a question that was not there. */
  async discard(signal: AbortSignal): Promise<void> {
    while (typeof await this.read({ signal, ms: TYPED_AHEAD_MS }) === "string");
    this.#decoder = new TextDecoder();
  }

  async #next(): Promise<string | null> {
    const buffer = new Uint8Array(4_096);
    const count = await this.#file.read(buffer).catch(throwGone);
    return count === null
      ? null
      : this.#decoder.decode(buffer.subarray(0, count), { stream: true });
  }
}

import { throwTerminalClosed } from "../../base/terminal/screen.ts";

/** The time in which keys typed before a question arrive, in milliseconds. */
const TYPED_AHEAD_MS = 30;

/**
 * Reads the user's input. A pending read of a terminal cannot be cancelled, so it is kept for the
 * next question. A process needs only one object of this class.
 */
export class TerminalInput {
  #file: Pick<Deno.FsFile, "read" | "setRaw">;
  #decoder = new TextDecoder();
  #pending: Promise<string | null> | undefined;

  /** Takes the terminal, open for reading. */
  constructor(file: Pick<Deno.FsFile, "read" | "setRaw">) {
    this.#file = file;
  }

  /**
   * Turns on raw mode: each key is delivered at once and without echo. Throws `unavailable` if the
   * terminal is closed.
   */
  enterRaw(): void {
    try {
      this.#file.setRaw(true);
    } catch {
      throwTerminalClosed();
    }
  }

  /** Turns off raw mode. */
  leaveRaw(): void {
    try {
      this.#file.setRaw(false);
    } catch { /* The terminal is closed. */ }
  }

  /**
   * Returns the next input, which is empty for an incomplete character; `null` at the end of the
   * terminal, and `undefined` if there is no input within `ms` milliseconds. Throws the signal's
   * reason if it is aborted, and `unavailable` if the terminal is closed.
   */
  async read(
    { signal, ms }: { signal: AbortSignal; ms?: number },
  ): Promise<string | null | undefined> {
    signal.throwIfAborted();
    const pending = this.#pending ??= this.#next();
    const { promise: ended, resolve, reject } = Promise.withResolvers<undefined>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = ms === undefined ? undefined : setTimeout(() => resolve(undefined), ms);
    try {
      const text = await Promise.race([pending, ended]);
      if (text !== undefined) this.#pending = undefined;
      return text;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Discards earlier input: the user typed it before the question was visible. */
  async discard(signal: AbortSignal): Promise<void> {
    while (typeof await this.read({ signal, ms: TYPED_AHEAD_MS }) === "string");
    this.#decoder = new TextDecoder();
  }

  async #next(): Promise<string | null> {
    const buffer = new Uint8Array(4_096);
    const count = await this.#file.read(buffer).catch(throwTerminalClosed);
    if (count === null) return null;
    return this.#decoder.decode(buffer.subarray(0, count), { stream: true });
  }
}

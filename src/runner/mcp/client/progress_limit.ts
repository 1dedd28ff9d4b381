/** How many time limits a call with progress may take in all. */
export const MAX_EXTENSIONS = 10;

/**
 * A time limit that begins again with each report of progress, as MCP allows ("Timeouts" of its
 * lifecycle). In all it is at most ten times as long.
 */
export class ProgressLimit implements Disposable {
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: number;

  /** Takes the limit in milliseconds, which begins now. */
  constructor(readonly timeoutMs: number) {
    this.#end = performance.now() + timeoutMs * MAX_EXTENSIONS;
    this.restart();
  }

  /** Aborts with a `TimeoutError` at the limit. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Begins the limit again. */
  restart(): void {
    clearTimeout(this.#timer);
    const left = Math.min(this.timeoutMs, this.#end - performance.now());
    const reason = new DOMException("The time limit passed", "TimeoutError");
    this.#timer = setTimeout(() => this.#abort.abort(reason), Math.max(0, left));
  }

  /** Ends the limit. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

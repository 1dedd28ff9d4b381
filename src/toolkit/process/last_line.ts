import { escapeControls } from "../../base/text/escape_controls.ts";

/** How often a line is told at most, in milliseconds. */
const INTERVAL_MS = 1_000;
/** How much of the output's end is kept, in bytes. */
const KEPT_BYTES = 4_096;
/** The longest line that is told, in characters. */
const MAX_LINE = 200;

/** A control sequence of ECMA-48, which moves the cursor, erases or colours. */
// deno-lint-ignore no-control-regex
const CONTROL_SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** Tells the last complete line of a program's output, at most once a second, while it runs. */
export class LastLine implements Disposable {
  #end = new Uint8Array(0);
  #told = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Takes what is told the lines: as text that is safe for a terminal, cut to 200 characters. */
  constructor(readonly tell: (line: string) => void) {}

  /** Takes the next bytes of the output. */
  add(chunk: Uint8Array): void {
    const bytes = new Uint8Array(this.#end.length + chunk.length);
    bytes.set(this.#end);
    bytes.set(chunk, this.#end.length);
    this.#end = bytes.slice(-KEPT_BYTES);
    this.#timer ??= setTimeout(() => this.#tellLine(), INTERVAL_MS);
  }

  /** Tells nothing any more. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #tellLine(): void {
    this.#timer = undefined;
    // A progress bar ends its lines with a carriage return. The last part is not complete.
    const text = new TextDecoder().decode(this.#end).replace(CONTROL_SEQUENCE, "");
    const line = text.split(/[\r\n]+/).slice(0, -1).findLast((each) => each.trim() !== "");
    if (line === undefined || line === this.#told) return;
    this.#told = line;
    this.tell(escapeControls(line.trim()).slice(0, MAX_LINE));
  }
}

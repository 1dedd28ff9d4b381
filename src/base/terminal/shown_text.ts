/** The most characters of a line that can still change. The start of a longer one is final. */
const MAX_LINE = 16_384;

/** The longest control sequence that is waited for, in characters. */
const MAX_SEQUENCE = 4_096;

/** A control sequence of a terminal, as ECMA-48 and xterm define them. */
const SEQUENCE =
  // deno-lint-ignore no-control-regex
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-OQ-WYZ\\`-~])/y;

/** The start of a sequence whose end has not come yet. */
const STARTED =
  // deno-lint-ignore no-control-regex
  /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)$/;

/** The characters that do more than to follow the one before. */
const CONTROLS =
  // deno-lint-ignore no-control-regex
  /[\r\b\x1b\n]/;

/** Those of them that can change a line that is there. */
const RETURNS =
  // deno-lint-ignore no-control-regex
  /[\r\b\x1b]/;

/** A sequence that erases or moves within the line. */
const EDIT =
  // deno-lint-ignore no-control-regex
  /^\x1b\[(\d*)([KGCD])$/;

/**
 * The text that a terminal shows of an output in the end: without control sequences, and with each
 * line as it was when it ended. So a progress bar is one line. A sequence that moves to another line
 * has no effect.
 */
export class ShownText {
  #line = "";
  #column = 0;
  #rest = "";

  /** Takes the next characters. Returns the text that cannot change any more. */
  add(text: string): string {
    const given = this.#rest + text;
    const [started] = STARTED.exec(given) ?? [""];
    const isWaiting = started !== "" && started.length <= MAX_SEQUENCE;
    this.#rest = isWaiting ? started : "";
    return this.#show(isWaiting ? given.slice(0, -started.length) : given);
  }

  /** Returns the rest: the line that has no end. */
  end(): string {
    const line = this.#line;
    [this.#line, this.#column, this.#rest] = ["", 0, ""];
    return line;
  }

  #show(text: string): string {
    if (this.#column === this.#line.length && !RETURNS.test(text)) {
      const end = text.lastIndexOf("\n") + 1;
      const final = end === 0 ? "" : this.end() + text.slice(0, end);
      this.#write(text.slice(end));
      return final + this.#longLine();
    }
    let final = "";
    for (let at = 0; at < text.length;) {
      const next = text.slice(at).search(CONTROLS);
      const end = next < 0 ? text.length : at + next;
      this.#write(text.slice(at, end));
      at = end;
      const control = text[at];
      if (control === undefined) break;
      at++;
      if (control === "\n") {
        final += `${this.end()}\n`;
      } else if (control === "\r") this.#column = 0;
      else if (control === "\b") this.#column = Math.max(0, this.#column - 1);
      else {
        SEQUENCE.lastIndex = at - 1;
        const [sequence] = SEQUENCE.exec(text) ?? [];
        if (sequence === undefined) continue;
        this.#obey(sequence);
        at += sequence.length - 1;
      }
    }
    return final + this.#longLine();
  }

  /** Returns the line and begins another one, if it is too long to wait for its end. */
  #longLine(): string {
    return this.#line.length <= MAX_LINE || this.#column < this.#line.length ? "" : this.end();
  }

  #write(text: string): void {
    if (text === "") return;
    const line = this.#line.padEnd(this.#column);
    // Half of a character that was written over is not shown.
    const after = line.slice(this.#column + text.length).replace(/^[\udc00-\udfff]/, "");
    this.#line = line.slice(0, this.#column) + text + after;
    this.#column += text.length;
  }

  /** Obeys a sequence that erases or moves within the line. Others do not change its text. */
  #obey(sequence: string): void {
    const [, digits = "", action] = EDIT.exec(sequence) ?? [];
    const count = Math.min(Math.max(1, Number(digits)), MAX_LINE);
    if (action === "C") this.#column = Math.min(this.#column + count, MAX_LINE);
    else if (action === "D") this.#column = Math.max(0, this.#column - count);
    else if (action === "G") this.#column = count - 1;
    else if (action === "K" && digits === "2") this.#line = "";
    else if (action === "K" && digits === "1") {
      this.#line = " ".repeat(this.#column) + this.#line.slice(this.#column);
    } else if (action === "K") this.#line = this.#line.slice(0, this.#column);
  }
}

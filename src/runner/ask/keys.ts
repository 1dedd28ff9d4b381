import { CallError } from "../../base/errors.ts";
import type { TerminalInput } from "./terminal_input.ts";

/** A key that has a meaning here. */
export type Key =
  | { name: "up" | "down" | "enter" | "escape" | "cancel" | "backspace" | "clear" }
  | { name: "text"; text: string };

/** After this time without the rest of a sequence, ESC is the Esc key itself, in milliseconds. */
const SEQUENCE_MS = 100;

const KEYS = new Map<string, Exclude<Key["name"], "text">>([
  ["\x1b[A", "up"],
  ["\x1b[B", "down"],
  ["\x1bOA", "up"],
  ["\x1bOB", "down"],
  ["\x1b[Z", "up"],
  ["\r", "enter"],
  ["\n", "enter"],
  ["\t", "down"],
  ["\x10", "up"],
  ["\x0e", "down"],
  ["\x7f", "backspace"],
  ["\b", "backspace"],
  ["\x15", "clear"],
  ["\x03", "cancel"],
  ["\x04", "cancel"],
]);

/** Reads the keys of a terminal in raw mode. */
export class Keys {
  #input: TerminalInput;
  #text = "";

  /** Takes the terminal. */
  constructor(input: TerminalInput) {
    this.#input = input;
  }

  /**
   * Returns the next key that has a meaning. Throws the signal's reason if it is aborted, and
   * `unavailable` if the terminal is closed.
   */
  async next(signal: AbortSignal): Promise<Key> {
    for (;;) {
      while (this.#text !== "" && !isUnfinished(this.#text)) {
        const key = this.#take();
        if (key !== undefined) return key;
      }
      const more = await this.#input.read({
        signal,
        ...(this.#text !== "" && { ms: SEQUENCE_MS }),
      });
      if (more === null) throw new CallError("unavailable", "The terminal ended before an answer");
      if (more !== undefined) {
        this.#text += more;
        continue;
      }
      const isEscape = this.#text === "\x1b";
      this.#text = "";
      if (isEscape) return { name: "escape" };
    }
  }

  /** Drops the keys that were pressed before now. */
  async discard(signal: AbortSignal): Promise<void> {
    this.#text = "";
    await this.#input.discard(signal);
  }

  #take(): Key | undefined {
    // deno-lint-ignore no-control-regex
    const [part] = this.#text.match(/^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~]|[^[O\x1b]|(?=\x1b))|^./su)!;
    this.#text = this.#text.slice(part.length);
    const name = KEYS.get(part);
    if (name !== undefined) return { name };
    if (part === "\x1b") return { name: "escape" };
    return /^[\p{Cc}]/u.test(part) ? undefined : { name: "text", text: part };
  }
}

/** Returns true if the text may be the beginning of a sequence. */
function isUnfinished(text: string): boolean {
  // deno-lint-ignore no-control-regex
  return /^\x1b(?:\[[0-?]*[ -/]*|O)?$/.test(text);
}

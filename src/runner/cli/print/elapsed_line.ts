import { screenSize } from "../../../base/terminal/screen.ts";
import { truncate } from "../../../base/text/truncate.ts";
import { writeRaw } from "../streams.ts";
import type { Process } from "../command.ts";
import { inline } from "./style.ts";

/** The time after which the line appears, and between two drawings, in milliseconds. */
const DRAW_MS = 1_000;

/**
 * A line on a terminal that shows how long a call takes already, and disappears. It appears after a
 * second, and needs no control sequences.
 */
export class ElapsedLine {
  readonly #begun = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #progress = "";
  #drawn = 0;
  #label: string;

  /** Takes the terminal and the first text of the line. */
  constructor(readonly screen: Process["stderr"], label: string) {
    this.#label = label;
    this.#timer = setInterval(() => this.#draw(), DRAW_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Shows another text from now on. */
  rename(label: string): void {
    this.#label = label;
  }

  /** Shows a line of progress from now on. */
  report(progress: string): void {
    this.#progress = progress;
  }

  /** Clears the line, so that something else can be printed. It is drawn again soon. */
  clear(): void {
    if (this.#drawn === 0) return;
    void writeRaw(this.screen, `\r${" ".repeat(this.#drawn)}\r`).catch(() => {});
    this.#drawn = 0;
  }

  /** Clears the line for good. */
  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #draw(): void {
    const seconds = Math.floor((performance.now() - this.#begun) / 1_000);
    const parts = [this.#label, `${seconds} s`, this.#progress].filter((part) => part !== "");
    // The last column stays free, because a terminal may break the line after it.
    const text = ascii(parts.join("  "), screenSize().columns - 1);
    void writeRaw(this.screen, `\r${text.padEnd(this.#drawn)}`).catch(() => this.end());
    this.#drawn = text.length;
  }
}

/** Writes a safe line on a terminal, in place of an {@link ElapsedLine} that may be drawn there. */
export async function writeInPlaceOfLine(screen: Process["stderr"], line: string): Promise<void> {
  const blank = " ".repeat(screenSize().columns - 1);
  await writeRaw(screen, `\r${blank}\r${line}`);
}

/** A text of at most `width` columns: characters of another width become a question mark. */
function ascii(text: string, width: number): string {
  return truncate(inline(text).replace(/[^\x20-\x7e]/gu, "?"), width).slice(0, width)
    .replace(/[^\x20-\x7e]/gu, ".");
}

import { type Screen, screenSize, show } from "../../base/terminal/screen.ts";
import type { Line } from "./view.ts";
import { textWidth } from "../../base/terminal/wrap.ts";

const STYLES = { strong: "1", faint: "2", chosen: "36" } as const;
const [HIDE_CURSOR, SHOW_CURSOR, CLEAR_BELOW] = ["\x1b[?25l", "\x1b[?25h", "\x1b[J"];

/** Lines at the end of what a terminal shows that are drawn again in place. */
export class Frame {
  #screen: Screen;
  #hasColor: boolean;
  #widths: number[] = [];

  /** Takes the terminal, and whether it is to be given colours. */
  constructor(screen: Screen, hasColor: boolean) {
    this.#screen = screen;
    this.#hasColor = hasColor;
  }

  /**
   * Draws the lines in place of those before; of more lines than the terminal has rows those
   * around `focus`. The cursor stands after the last one, where it is shown for writing.
   */
  async draw(
    lines: readonly Line[],
    { focus, isWriting }: { focus: number; isWriting: boolean },
  ): Promise<void> {
    const shown = around(lines, focus, screenSize().rows - 1);
    const text = this.#home() + HIDE_CURSOR + shown.map((line) => this.#paint(line)).join("\r\n");
    this.#widths = shown.map((line) => textWidth(line.text));
    await show(this.#screen, text + (isWriting ? SHOW_CURSOR : ""));
  }

  /** Puts lines that stay in place of the frame, which starts anew below them. */
  async leave(lines: readonly Line[]): Promise<void> {
    const text = this.#home() + lines.map((line) => `${this.#paint(line)}\r\n`).join("");
    this.#widths = [];
    await show(this.#screen, text + SHOW_CURSOR);
  }

  /** The way to the frame's first line, and what is below it wiped. */
  #home(): string {
    const { columns } = screenSize();
    // A terminal that has become narrower has broken the lines that do not fit any more.
    const rows = this.#widths.reduce(
      (sum, width) => sum + Math.ceil(Math.max(1, width) / columns),
      0,
    );
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ""}${CLEAR_BELOW}`;
  }

  #paint({ text, style }: Line): string {
    if (!this.#hasColor || style === undefined) return text;
    return `\x1b[${STYLES[style]}m${text}\x1b[0m`;
  }
}

/** At most `most` of the lines, with marks where there are more. */
function around(lines: readonly Line[], focus: number, most: number): readonly Line[] {
  const count = Math.max(1, most);
  if (lines.length <= count) return lines;
  const middle = Math.max(0, focus - Math.floor(count / 2));
  const start = Math.min(middle, lines.length - count);
  const shown = lines.slice(start, start + count);
  const mark: Line = { text: "…", style: "faint" };
  if (count < 5) return shown;
  if (start > 0) shown[0] = mark;
  if (start + count < lines.length) shown[count - 1] = mark;
  return shown;
}

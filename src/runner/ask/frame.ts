import { type Screen, screenSize, show } from "../../base/terminal/screen.ts";
import type { Line } from "./view.ts";
import { textWidth } from "../../base/terminal/wrap.ts";

const STYLES = { strong: "1", faint: "2", chosen: "36" } as const;
const [HIDE_CURSOR, SHOW_CURSOR, CLEAR_BELOW] = ["\x1b[?25l", "\x1b[?25h", "\x1b[J"];

/** Lines at the bottom of the terminal that are redrawn in place. */
export class Frame {
  #screen: Screen;
  #hasColor: boolean;
  #widths: number[] = [];

  /** Takes the terminal, and whether to use colours. */
  constructor(screen: Screen, hasColor: boolean) {
    this.#screen = screen;
    this.#hasColor = hasColor;
  }

  /**
   * Draws the lines in place of the earlier ones. If there are more lines than rows, only those
   * around `focus` are drawn. While the user is writing, the cursor is shown after the last line.
   */
  async draw(
    lines: readonly Line[],
    { focus, isWriting }: { focus: number; isWriting: boolean },
  ): Promise<void> {
    const shown = linesAround(lines, focus, screenSize().rows - 1);
    const text = this.#clear() + HIDE_CURSOR + shown.map((line) => this.#paint(line)).join("\r\n");
    this.#widths = shown.map((line) => textWidth(line.text));
    await show(this.#screen, text + (isWriting ? SHOW_CURSOR : ""));
  }

  /** Replaces the frame by lines that remain. The next frame starts below them. */
  async leave(lines: readonly Line[]): Promise<void> {
    const text = this.#clear() + lines.map((line) => `${this.#paint(line)}\r\n`).join("");
    this.#widths = [];
    await show(this.#screen, text + SHOW_CURSOR);
  }

  /** Returns the sequence that moves to the first line of the frame and clears from there. */
  #clear(): string {
    const { columns } = screenSize();
    // A terminal that became narrower has wrapped the lines that no longer fit.
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

/** Returns at most `most` of the lines, with marks where lines are left out. */
function linesAround(lines: readonly Line[], focus: number, most: number): readonly Line[] {
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

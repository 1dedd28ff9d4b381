import type { Question } from "../registry/services.ts";
import type { Choice } from "./choice.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { drawRaw, type Screen, screenSize } from "../../base/terminal/screen.ts";
import { inStyle } from "../../base/terminal/terminal_text.ts";
import { beside, breakLines, textWidth, wrap } from "../../base/terminal/wrap.ts";

/** The most lines of a preview that are shown. */
const MAX_PREVIEW_LINES = 10;

/** A line on the screen. */
export interface Line {
  /** Its text, no wider than the screen. */
  text: string;
  /** Its style on a terminal with colours. */
  style?: "strong" | "faint" | "chosen";
}

/** Returns the lines of a question, at most `width` columns wide. `place` is, for example, `2/3`. */
export function questionLines(
  { header, question }: Question,
  { width, place }: { width: number; place: string },
): Line[] {
  const title = [place, escapeControls(header)].filter((part) => part !== "").join(" ");
  return [
    ...styled(wrap(title, width), "faint"),
    ...styled(wrap(escapeControls(question), width), "strong"),
  ];
}

/** Returns the lines of the options, and the index of the line that must be visible. */
export function choiceLines(
  question: Question,
  choice: Choice,
  width: number,
): { lines: Line[]; focus: number } {
  const lines = styled(wrap(choice.note ?? hintOf(question, choice), width), "faint");
  let focus = 0;
  for (const [at, { label, description, preview = "" }] of question.options.entries()) {
    if (at === choice.at) focus = lines.length;
    lines.push(...entry(question, choice, { at, text: escapeControls(label), width }));
    const indent = prefixOf(question, choice, at).replace(/./g, " ");
    lines.push(...styled(beside(indent, escapeControls(description), { width }), "faint"));
    if (at === choice.at) lines.push(...previewLines(preview, indent, width));
  }
  const at = question.options.length;
  if (at === choice.at) focus = lines.length;
  const words = escapeControls(choice.words);
  const text = choice.isWriting ? words : words === "" ? "Other…" : `Other: ${words}`;
  lines.push(...entry(question, choice, { at, text, width }));
  return { lines, focus: choice.isWriting ? lines.length - 1 : focus };
}

/** Returns the first lines of a preview, indented. */
function previewLines(preview: string, indent: string, width: number): Line[] {
  if (preview === "") return [];
  return escapeControls(shortPreview(preview)).split("\n").flatMap((line) =>
    styled(beside(`${indent}| `, line, { width, breaks: breakLines }))
  );
}

/** Returns the first lines of a preview, and how many are left out. */
export function shortPreview(preview: string): string {
  const lines = preview.split("\n");
  if (lines.length <= MAX_PREVIEW_LINES) return preview;
  const left = lines.length - MAX_PREVIEW_LINES;
  return [...lines.slice(0, MAX_PREVIEW_LINES), `… ${left} more lines`].join("\n");
}

function hintOf({ multiSelect }: Question, { isWriting }: Choice): string {
  if (isWriting) return "Enter accepts this text, Esc returns to the list";
  return multiSelect
    ? "Arrow keys or digits move, Space chooses, Enter confirms, Esc declines"
    : "Arrow keys or digits move, Enter confirms, Esc declines";
}

function entry(
  question: Question,
  choice: Choice,
  { at, text, width }: { at: number; text: string; width: number },
): Line[] {
  const prefix = prefixOf(question, choice, at);
  // Wrapping at words would drop spaces, which the user needs to see while writing.
  const breaks = choice.isWriting && at === choice.at ? breakLines : wrap;
  return styled(beside(prefix, text, { width, breaks }), at === choice.at ? "chosen" : undefined);
}

function styled(lines: readonly string[], style?: Line["style"]): Line[] {
  return lines.map((text) => ({ text, ...(style && { style }) }));
}

function prefixOf({ multiSelect }: Question, { at: current, chosen }: Choice, at: number): string {
  const box = !multiSelect ? "" : chosen.includes(at) ? "[x] " : "[ ] ";
  return `${at === current ? ">" : " "} ${at + 1}. ${box}`;
}

const STYLES = { strong: "strong", faint: "faint", chosen: "cyan" } as const;
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
    await drawRaw(this.#screen, text + (isWriting ? SHOW_CURSOR : ""));
  }

  /** Replaces the frame by lines that remain. The next frame starts below them. */
  async leave(lines: readonly Line[]): Promise<void> {
    const text = this.#clear() + lines.map((line) => `${this.#paint(line)}\r\n`).join("");
    this.#widths = [];
    await drawRaw(this.#screen, text + SHOW_CURSOR);
  }

  /** Returns the sequence that moves to the first line of the frame and clears from there. */
  #clear(): string {
    const { columns } = screenSize();
    // A terminal that became narrower has wrapped the lines that no longer fit.
    const heights = this.#widths.map((width) => Math.ceil(Math.max(1, width) / columns));
    const rows = heights.reduce((sum, height) => sum + height, 0);
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ""}${CLEAR_BELOW}`;
  }

  #paint({ text, style }: Line): string {
    if (!this.#hasColor || style === undefined) return text;
    return inStyle(text, STYLES[style]);
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

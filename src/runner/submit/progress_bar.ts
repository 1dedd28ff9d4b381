import { thousands } from "../../base/text/amounts.ts";
import { drawRaw, type Screen, screenSize } from "../../base/terminal/screen.ts";

/** The time between two drawings, in milliseconds. */
const DRAW_MS = 200;

/** The widest line, in columns. */
const MAX_COLUMNS = 80;

/** The length of the bar, in columns. */
const BAR_LENGTH = 10;

/** How far a submission is. */
export interface Tally {
  /** The number of calls that have a result. */
  done: number;
  /** The number of those that failed. Calls that were cancelled with the submission do not count. */
  failed: number;
  /** The number of lines that have started and have no result yet. */
  running: number;
  /** The bytes of the lines that were answered, with their line ends. */
  bytes: number;
}

/** How far a submission is, and how far it can come. */
export interface Progress extends Tally {
  /** The time since its start, in milliseconds. */
  ms: number;
  /** The bytes of the whole input, if they are known. */
  total?: number;
  /** The last line of progress of a call, if one has reported some. */
  note?: string;
}

/**
 * Shows on a terminal how far a submission is, in one line of ASCII that is drawn over and over. It
 * needs no control sequences, so it looks the same on every terminal.
 */
export class ProgressBar {
  readonly #begun = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawn = 0;
  #note: string | undefined;

  /** Takes the terminal, the state of the submission, and the bytes of the input if known. */
  constructor(
    readonly screen: Screen,
    readonly tally: Readonly<Tally>,
    readonly total: number | undefined,
  ) {
    this.#timer = setInterval(() => this.#draw(), DRAW_MS);
  }

  /** Shows a line of progress of a call from now on. */
  report(note: string): void {
    this.#note = note;
  }

  /** Clears the line, so that something else can be printed. It is drawn again soon. */
  clear(): Promise<void> {
    if (this.#drawn === 0) return Promise.resolve();
    const blank = `\r${" ".repeat(this.#drawn)}\r`;
    this.#drawn = 0;
    return this.#drawRaw(blank);
  }

  /** Clears the line for good. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.clear();
  }

  #draw(): void {
    const ms = performance.now() - this.#begun;
    const total = this.total === undefined ? {} : { total: this.total };
    const note = this.#note === undefined ? {} : { note: this.#note };
    const columns = Math.min(screenSize().columns, MAX_COLUMNS);
    // The last column stays free, because a terminal may break the line after it.
    const text = progressBarText({ ...this.tally, ms, ...total, ...note }).slice(0, columns - 1);
    this.#drawRaw(`\r${text.padEnd(this.#drawn)}`);
    this.#drawn = text.length;
  }

  async #drawRaw(text: string): Promise<void> {
    // A closed terminal ends the bar, and not the submission.
    await drawRaw(this.screen, text).catch(() => clearInterval(this.#timer));
  }
}

/** The line that shows a progress: a bar if the total is known, and always what is done. */
export function progressBarText(
  { done, failed, running, bytes, ms, total, note }: Progress,
): string {
  const seconds = ms / 1_000;
  const share = total === undefined || total === 0 ? undefined : Math.min(1, bytes / total);
  const counts = [
    `${thousands(done)} done`,
    ...(running > 0 ? [`${thousands(running)} running`] : []),
    `${thousands(Math.round(done / seconds))}/s`,
    ...(failed > 0 ? [`${thousands(failed)} failed`] : []),
  ];
  // A character of another width would move the end of the line.
  const last = note === undefined ? [] : [note.replace(/[^\x20-\x7e]/gu, "?")];
  if (share === undefined) return [...counts, duration(seconds), ...last].join("  ");
  const filled = Math.round(share * BAR_LENGTH);
  const bar = `[${"#".repeat(filled)}${"-".repeat(BAR_LENGTH - filled)}]`;
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const left = share === 0 ? [] : [`${duration(seconds / share - seconds)} left`];
  return [bar, percent, ...counts, ...left, ...last].join("  ");
}

/** A duration as `0:07`, `12:34` or `1:02:03`. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => `${part}`.padStart(2, "0"));
  const hours = Math.floor(whole / 3_600);
  return hours > 0 ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}

import { interruptionOf } from "../../base/async/interruption.ts";
import { NamedError } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";

/** The longest text of one call's results, in UTF-16 units. */
export const MAX_OUTPUT = 30_000;

/** The most lines or entries that are counted after those that are shown. */
const MAX_COUNTED = 100_000;

/** Thrown by {@link ResultPage.add} if no more entries are shown or counted. */
export class EnoughError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "EnoughError";
}

/**
 * Waits for the end of a search and returns its result, or waits for its {@link EnoughError}. If `signal` is aborted first, throws
 * an error with the `total` and the `text` of what it found until then. `attempt` begins the message,
 * and `advice` says how the time limit could be met.
 */
export async function untilEnough<T>(
  search: Promise<T>,
  { signal, attempt, advice, total, text }: {
    signal: AbortSignal;
    attempt: string;
    advice: string;
    total: () => number;
    text: () => string;
  },
): Promise<T | undefined> {
  try {
    return await search;
  } catch (error) {
    if (!signal.aborted) {
      if (error instanceof EnoughError) return undefined;
      throw error;
    }
    const why = interruptionOf(signal) === "timeout"
      ? `the time limit passed; ${advice}`
      : "the call was cancelled";
    const found = total();
    const partial = found > 0 ? `Results so far:\n\n${text()}` : "Nothing was found so far";
    throw new Error(`${attempt}: ${why}. ${partial}`, { cause: { found } });
  }
}

/** The requested part of the results. */
interface ResultPageOptions {
  /** The number of lines or entries to skip. */
  offset: number;
  /** The most entries to show; default: all. */
  limit?: number | undefined;
  /** The noun for entries in messages. */
  unit: "lines" | "files";
}

/** The part of a search's results that is shown. Those that follow are counted up to a bound. */
export class ResultPage {
  #kept: string[] = [];
  #length = 0;
  #isFull = false;
  #cut = 0;
  #total = 0;

  /** Starts an empty page. */
  constructor(readonly options: ResultPageOptions) {}

  /** The number of all lines or entries. */
  get total(): number {
    return this.#total;
  }

  /** The entries that are shown. */
  get shown(): readonly string[] {
    return this.#kept;
  }

  /** Whether the text of an entry is shown, if it comes after `more` others. */
  showsEntry(more: number): boolean {
    return !this.#isFull && this.#total + more >= this.options.offset;
  }

  /** Takes the next entry. Throws {@link EnoughError} if no more entries are needed. */
  add(line: string, isCut = false): void {
    const { offset, limit = Infinity } = this.options;
    if (this.#isFull && this.#total === this.#counted) throw new EnoughError();
    if (this.#total++ < offset || this.#isFull) return;
    const tooLong = this.#length + line.length + 1 > MAX_OUTPUT && this.#kept.length > 0;
    if (this.#kept.length >= limit || tooLong) {
      this.#isFull = true;
      return;
    }
    this.#kept.push(line);
    this.#length += line.length + 1;
    if (isCut) this.#cut++;
  }

  /** Counts further entries that are not shown. */
  skip(count: number): void {
    this.#total += count;
  }

  /** The largest total that is counted. */
  get #counted(): number {
    return this.options.offset + this.#kept.length + MAX_COUNTED;
  }

  /** The lines that are shown, and after an empty line the notes. */
  text(notes: readonly string[]): string {
    const said = [...this.#notes(), ...notes];
    const lines = this.#kept.join("\n");
    if (said.length === 0) return lines;
    return lines === "" ? said.join("\n") : `${lines}\n\n${said.join("\n")}`;
  }

  #notes(): string[] {
    const { offset, unit } = this.options;
    const notes: string[] = [];
    const end = offset + this.#kept.length;
    if (this.#kept.length === 0 && this.#total > 0) {
      notes.push(`[Nothing from offset ${offset}: there are ${this.#total} ${unit} in all]`);
    } else if (offset > 0 || end < this.#total) {
      const more = end < this.#total ? `; for more set offset to ${end}` : "";
      const all = this.#isFull && this.#total === this.#counted ? "at least " : "";
      notes.push(`[Showing ${unit} ${offset + 1} to ${end} of ${all}${this.#total}${more}]`);
    }
    if (this.#cut > 0) {
      notes.push(`[${plural(this.#cut, "long line")} ${this.#cut === 1 ? "was" : "were"} cut]`);
    }
    return notes;
  }
}

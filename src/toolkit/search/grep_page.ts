import { modifiedAt, Newest } from "./newest.ts";
import { MAX_CHARACTERS, Page } from "./page.ts";
import type { MatchingFile, OutputMode, Results } from "./query.ts";

/** The line between two groups of lines that do not follow each other. */
const SEPARATOR = "--";

/** A search's results as data, named as in the published output of Grep. */
export interface GrepData {
  /** The output mode of the search. */
  mode: OutputMode;
  /** How many files are named, and in the mode `count` how many match in all; 0 for `content`. */
  numFiles: number;
  /** The paths that are shown, in the mode `files_with_matches`. */
  filenames: string[];
  /** The lines that are shown, in the other modes. */
  content?: string;
  /** How many lines those are, in the mode `content`. */
  numLines?: number;
  /** How many lines match in all files, in the mode `count`. */
  numMatches?: number;
  /** How many files match, in the mode `files_with_matches`. */
  totalFiles?: number;
  /** How many lines there are, in the mode `content`; at least as many where counting ended. */
  totalLines?: number;
  /** How many lines or files are shown, where more follow. */
  appliedLimit?: number;
  /** How many were skipped, where that is not 0. */
  appliedOffset?: number;
}

/** The part of a search's results that is shown: files the newest first, all else as it comes. */
export class GrepPage implements Results {
  #mode: OutputMode;
  #offset: number;
  #page: Page;
  #newest: Newest;
  #matches = 0;
  #isSeparated = false;

  /** Starts an empty page. */
  constructor({ mode, offset, limit }: {
    mode: OutputMode;
    offset: number;
    limit: number | undefined;
  }) {
    this.#mode = mode;
    this.#offset = offset;
    this.#page = new Page({ offset, limit, unit: mode === "content" ? "lines" : "files" });
    // A path and its line end are two characters at least.
    this.#newest = new Newest(offset + Math.min(limit ?? Infinity, MAX_CHARACTERS / 2));
  }

  /** How many lines or files there were in all. */
  get total(): number {
    return this.#newest.total + this.#page.total;
  }

  /** Takes a file. Throws `EnoughError` when there is no need for it and the rest. */
  file({ path, shown, count, modified }: MatchingFile): void {
    if (count === undefined) {
      this.#newest.add({ path: shown, modified: modified ?? modifiedAt(path) });
      return;
    }
    this.#matches += count;
    this.#page.add(`${shown}:${count}`);
  }

  /** Takes a line. Throws `EnoughError` when there is no need for it and the rest. */
  line(line: string, isCut?: boolean): void {
    // A separator is kept until it separates something: a group may turn out to be empty.
    if (line === SEPARATOR) {
      this.#isSeparated = this.#page.total > 0;
      return;
    }
    if (this.#isSeparated) this.#page.add(SEPARATOR);
    this.#isSeparated = false;
    this.#page.add(line, isCut);
  }

  /** The results when all have come: for a model with notes on them, and as data. */
  end(notes: readonly string[]): { text: string; data: GrepData } {
    const { total } = this;
    const files = this.#newest.list();
    for (const { path } of files) this.#page.add(path);
    this.#page.skip(total - this.#page.total);
    return { text: this.#page.text(notes), data: this.#data() };
  }

  #data(): GrepData {
    const mode = this.#mode;
    const { shown, total } = this.#page;
    const rest = {
      ...(this.#offset + shown.length < total && { appliedLimit: shown.length }),
      ...(this.#offset > 0 && { appliedOffset: this.#offset }),
    };
    if (mode === "files_with_matches") {
      return { mode, numFiles: shown.length, filenames: [...shown], totalFiles: total, ...rest };
    }
    const data = { mode, filenames: [], content: shown.join("\n"), ...rest };
    return mode === "count"
      ? { ...data, numFiles: total, numMatches: this.#matches }
      : { ...data, numFiles: 0, numLines: shown.length, totalLines: total };
  }
}

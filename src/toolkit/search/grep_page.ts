import { lookAt } from "../../base/fs/path_status.ts";
import { Newest } from "./newest.ts";
import { MAX_OUTPUT, ResultPage } from "./result_page.ts";
import type { MatchingFile, OutputMode, Results } from "./query.ts";

/** The line between two groups of lines that do not follow each other. */
const SEPARATOR = "--";

/** A search's results as data, named as in the published output of Grep. */
export interface GrepData {
  /** The output mode of the search. */
  mode: OutputMode;
  /** The number of paths, or of all matching files in the mode `count`; 0 for `content`. */
  numFiles: number;
  /** The paths that are shown, in the mode `files_with_matches`. */
  filenames: string[];
  /** The lines that are shown, in the other modes. */
  content?: string;
  /** The number of these lines, in the mode `content`. */
  numLines?: number;
  /** The number of matching lines in all files, in the mode `count`. */
  numMatches?: number;
  /** The number of matching files, in the mode `files_with_matches`. */
  totalFiles?: number;
  /** The number of lines, in the mode `content`; a lower bound if counting was stopped. */
  totalLines?: number;
  /** The number of lines or files that are shown, if more follow. */
  appliedLimit?: number;
  /** The number of skipped lines or files, if it is not 0. */
  appliedOffset?: number;
}

/** The part of a search's results that is shown: files the newest first, all else as it comes. */
export class GrepPage implements Results {
  #page: ResultPage;
  #newest: Newest;
  #matches = 0;
  #isSeparated = false;

  /** Starts an empty page. */
  constructor(
    readonly options: { mode: OutputMode; offset: number; limit: number | undefined },
  ) {
    const { mode, offset, limit } = options;
    this.#page = new ResultPage({ offset, limit, unit: mode === "content" ? "lines" : "files" });
    // A path and its line end have at least two characters.
    this.#newest = new Newest(offset + Math.min(limit ?? Infinity, MAX_OUTPUT / 2));
  }

  /** The number of all lines or files. */
  get total(): number {
    return this.#newest.total + this.#page.total;
  }

  /** Takes a file. Throws `EnoughError` if no more results are needed. */
  file({ path, shown, count }: MatchingFile): void {
    if (count === undefined) {
      this.#newest.add({ path: shown, modified: lookAt(path)?.changed ?? 0 });
      return;
    }
    this.#matches += count;
    this.#page.add(`${shown}:${count}`);
  }

  /** Whether the text of the next line is shown. */
  get showsNextLine(): boolean {
    return this.#page.showsEntry(this.#isSeparated ? 1 : 0);
  }

  /** Takes a line. Throws `EnoughError` if no more results are needed. */
  line(line: string, isCut?: boolean): void {
    // Write a separator only when a line follows, because a group can be empty.
    if (line === SEPARATOR) {
      this.#isSeparated = this.#page.total > 0;
      return;
    }
    if (this.#isSeparated) this.#page.add(SEPARATOR);
    this.#isSeparated = false;
    this.#page.add(line, isCut);
  }

  /** The complete results: as a text with notes, and as data. */
  end(notes: readonly string[]): { text: string; data: GrepData } {
    const { total } = this;
    const files = this.#newest.list();
    for (const { path } of files) this.#page.add(path);
    this.#page.skip(total - this.#page.total);
    return { text: this.#page.text(notes), data: this.#data() };
  }

  #data(): GrepData {
    const { mode, offset } = this.options;
    const { shown, total } = this.#page;
    const rest = {
      ...(offset + shown.length < total && { appliedLimit: shown.length }),
      ...(offset > 0 && { appliedOffset: offset }),
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

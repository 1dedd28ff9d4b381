import { compareNames } from "./paths.ts";

/** A file and when it was changed last. */
export interface DatedFile {
  /** Its path. */
  path: string;
  /** When it was changed last, in milliseconds since 1970. */
  modified: number;
}

/** Keeps the newest of any number of files, in memory for those alone. */
export class Newest {
  #limit: number;
  #files: DatedFile[] = [];
  #total = 0;

  /** Keeps `limit` files. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many files there were in all. */
  get total(): number {
    return this.#total;
  }

  /** Takes a file. */
  add(file: DatedFile): void {
    this.#total++;
    this.#files.push(file);
    if (this.#files.length >= this.#limit * 4) this.#trim();
  }

  /** The files that are kept: the newest first, by path where they are as old. */
  list(): readonly DatedFile[] {
    this.#trim();
    return this.#files;
  }

  #trim(): void {
    this.#files.sort((a, b) => b.modified - a.modified || compareNames(a.path, b.path));
    this.#files.length = Math.min(this.#files.length, this.#limit);
  }
}

/** When a file was changed last; where that is not known it is the oldest. */
export function modifiedAt(path: string): number {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}

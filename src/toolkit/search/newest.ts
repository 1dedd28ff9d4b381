import { compareNames } from "./paths.ts";

/** A file and its modification time. */
interface DatedFile {
  /** Its path. */
  path: string;
  /** The modification time, in milliseconds since 1970. */
  modified: number;
}

/** Keeps the newest of any number of files; the memory depends only on the number kept. */
export class Newest {
  #files: DatedFile[] = [];
  #total = 0;
  /** An older file is not kept. */
  #oldest = -Infinity;

  /** Keeps `limit` files. */
  constructor(readonly limit: number) {}

  /** The number of all files. */
  get total(): number {
    return this.#total;
  }

  /** Takes a file. */
  add(file: DatedFile): void {
    this.#total++;
    if (file.modified < this.#oldest) return;
    this.#files.push(file);
    if (this.#files.length >= this.limit * 4) this.#dropOlder();
  }

  /** The kept files, the newest first; files of the same age by path. */
  list(): readonly DatedFile[] {
    this.#files.sort((a, b) => b.modified - a.modified || compareNames(a.path, b.path));
    this.#files.length = Math.min(this.#files.length, this.limit);
    return this.#files;
  }

  /** Drops what is older than the files to keep. A sort of numbers is far cheaper than one of files. */
  #dropOlder(): void {
    const times = Float64Array.from(this.#files, ({ modified }) => modified).sort();
    this.#oldest = times[times.length - this.limit]!;
    this.#files = this.#files.filter(({ modified }) => modified >= this.#oldest);
    // Many files have the same time: their paths decide.
    if (this.#files.length > this.limit * 2) this.list();
  }
}

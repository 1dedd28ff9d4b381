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
    if (this.#files.length >= this.limit * 4) this.#trim();
  }

  /** The kept files, the newest first; files of the same age by path. */
  list(): readonly DatedFile[] {
    this.#trim();
    return this.#files;
  }

  #trim(): void {
    this.#files.sort((a, b) => b.modified - a.modified || compareNames(a.path, b.path));
    this.#files.length = Math.min(this.#files.length, this.limit);
    if (this.#files.length === this.limit) {
      this.#oldest = this.#files.at(-1)?.modified ?? Infinity;
    }
  }
}

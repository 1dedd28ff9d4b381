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

  /** Keeps `limit` files. */
  constructor(readonly limit: number) {}

  /** The number of all files. */
  get total(): number {
    return this.#total;
  }

  /** Takes a file. */
  add(file: DatedFile): void {
    this.#total++;
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
  }
}

/** A file's modification time; 0 if it is unknown. */
export function modifiedAt(path: string): number {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}

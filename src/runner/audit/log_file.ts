import { lockIfAny } from "../../base/error_code.ts";
import { delay } from "@std/async/delay";

/** How long another's lock is waited for, in milliseconds. */
const LOCK_MS = 2_000;
const MAX_PAUSE_MS = 20;
const NEWLINE = 0x0a;

/** A file that lines are appended to, by as many processes as there are. */
export class LogFile {
  #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /**
   * Opens the regular file at `path`, an absolute path, or makes it, for its owner alone. What
   * it holds stays. Programs do not inherit it. Throws an `Error` with the reason when it cannot
   * be opened, is a symbolic link or no regular file, or may not grow by `room` bytes to `most`.
   */
  static open(path: string, { room, most = Infinity }: { room: number; most?: number }): LogFile {
    // Before it is opened too: a pipe would be waited for, and a link would make what it leads to.
    look(path);
    const file = Deno.openSync(path, { read: true, append: true, create: true, mode: 0o600 });
    try {
      const [opened, there] = [file.statSync(), look(path)];
      if (opened.ino !== there?.ino || opened.dev !== there?.dev) {
        throw new Error("it was replaced while it was opened");
      }
      if (opened.size + room > most) {
        throw new Error(`it holds ${opened.size} bytes, and --limit=file-size lets none grow on`);
      }
    } catch (error) {
      file.close();
      throw error;
    }
    return new LogFile(file);
  }

  /**
   * Appends a line, which ends in a newline, in one piece; a line that a killed process left torn
   * is ended before it. When another process does not give up the lock within two seconds, the line
   * is written without it. Then, and only then, resolves to `false`. A file system without locks
   * needs none. Rejects when it cannot be written.
   */
  async append(line: string): Promise<boolean> {
    const lock = await this.#lock();
    try {
      const data = new TextEncoder().encode(this.#isTorn() ? `\n${line}` : line);
      for (let at = 0; at < data.length;) at += this.#file.writeSync(data.subarray(at));
    } finally {
      if (lock === true) this.#file.unlockSync();
    }
    return lock !== false;
  }

  /** Closes it. */
  close(): void {
    this.#file.close();
  }

  async #lock(): Promise<boolean | "none"> {
    const end = Date.now() + LOCK_MS;
    for (let wait = 1;; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
      const lock = lockIfAny(() => this.#file.tryLockSync(true));
      if (lock !== false) return lock;
      if (Date.now() > end) return false;
      // Chance keeps many waiting processes from asking in step.
      await delay(wait * (0.5 + Math.random()));
    }
  }

  #isTorn(): boolean {
    const { size } = this.#file.statSync();
    if (size === 0) return false;
    const last = new Uint8Array(1);
    this.#file.seekSync(size - 1, Deno.SeekMode.Start);
    return this.#file.readSync(last) === 1 && last[0] !== NEWLINE;
  }
}

/** What lies at `path`; nothing when there is nothing. Throws for what is no regular file. */
function look(path: string): Deno.FileInfo | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  if (info.isSymlink) throw new Error("it is a symbolic link; name what it leads to");
  if (!info.isFile) throw new Error("it is no regular file");
  return info;
}

import { lockIfAny } from "../../base/error_code.ts";
import { olderLogs } from "../sandbox/policy/closed_paths.ts";
import { delay } from "@std/async/delay";

/** The longest wait for the lock of another process, in milliseconds. */
const LOCK_MS = 2_000;
const MAX_PAUSE_MS = 20;
/** The most times that a log is opened because it was renamed meanwhile. */
const MAX_TRIES = 20;
const NEWLINE = 0x0a;

/** A file to which any number of processes append lines. */
export class LogFile {
  #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /**
   * Opens the regular file at the absolute `path`, or creates it with access only for its owner. It
   * keeps the content. Child processes do not inherit the file. Throws an `Error` with the reason if
   * the file cannot be opened, is a symlink or not regular, or cannot grow by `room` bytes within
   * `most`. A file of `rotateAt` bytes or more is renamed first, and a new one is created.
   */
  static open(
    path: string,
    { room, most = Infinity, rotateAt }: { room: number; most?: number; rotateAt?: number },
  ): LogFile {
    for (let tries = 1;; tries++) {
      const log = LogFile.#open(path, { room, most });
      const isCurrent = log.#isAt(path);
      if (isCurrent && (rotateAt === undefined || !log.#rotate(path, rotateAt))) return log;
      log.close();
      // Another process renames the log in the same moment. Anything else that replaces it so often
      // is not a rotation.
      if (tries === MAX_TRIES) throw new Error("it was replaced while it was opened");
    }
  }

  static #open(path: string, { room, most }: { room: number; most: number }): LogFile {
    // Check before opening as well: a pipe would block, and a symlink would create its target.
    regularFileInfo(path);
    const file = Deno.openSync(path, { read: true, append: true, create: true, mode: 0o600 });
    try {
      const { size } = file.statSync();
      if (size + room > most) {
        throw new Error(`it holds ${size} bytes, and --limit=file-size does not let it grow`);
      }
    } catch (error) {
      file.close();
      throw error;
    }
    return new LogFile(file);
  }

  /**
   * Appends a line, which must end with a newline, in one piece. If a killed process left an
   * incomplete line, it is ended first. If another process keeps the lock for two seconds, the line
   * is written without the lock, and the promise resolves to `false`. File systems without locks are
   * written without one. Rejects if the line cannot be written.
   */
  async append(line: string): Promise<boolean> {
    const lock = await this.#lock();
    try {
      const data = new TextEncoder().encode(this.#isLastLineIncomplete() ? `\n${line}` : line);
      for (let at = 0; at < data.length;) at += this.#file.writeSync(data.subarray(at));
    } finally {
      if (lock === true) this.#file.unlockSync();
    }
    return lock !== false;
  }

  /** Whether this file is the one at `path`. Throws if that is not a regular file. */
  #isAt(path: string): boolean {
    const [opened, there] = [this.#file.statSync(), regularFileInfo(path)];
    return opened.ino === there?.ino && opened.dev === there.dev;
  }

  /**
   * Renames the file, and the older ones, if it has `most` bytes. Returns whether another file is at
   * `path` now. Only the process that has the lock of the current file renames. Nothing happens if
   * another process has the lock, or if the system refuses: a later call tries again.
   */
  #rotate(path: string, most: number): boolean {
    if (this.#file.statSync().size < most) return false;
    if (lockIfAny(() => this.#file.tryLockSync(true)) !== true) return false;
    try {
      if (!this.#isAt(path)) return true;
      const names = [path, ...olderLogs(path)];
      for (let at = names.length - 1; at > 0; at--) renameIfAny(names[at - 1]!, names[at]!);
      return true;
    } catch {
      return false;
    } finally {
      this.#file.unlockSync();
    }
  }

  /** Closes the file. */
  close(): void {
    this.#file.close();
  }

  async #lock(): Promise<boolean | "none"> {
    const end = Date.now() + LOCK_MS;
    for (let wait = 1;; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
      const lock = lockIfAny(() => this.#file.tryLockSync(true));
      if (lock !== false) return lock;
      if (Date.now() > end) return false;
      // The random part prevents waiting processes from retrying at the same time.
      await delay(wait * (0.5 + Math.random()));
    }
  }

  #isLastLineIncomplete(): boolean {
    const { size } = this.#file.statSync();
    if (size === 0) return false;
    const last = new Uint8Array(1);
    this.#file.seekSync(size - 1, Deno.SeekMode.Start);
    return this.#file.readSync(last) === 1 && last[0] !== NEWLINE;
  }
}

function renameIfAny(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Returns the file at `path`, or `undefined` if it does not exist. Throws if it is not regular. */
function regularFileInfo(path: string): Deno.FileInfo | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  if (info.isSymlink) throw new Error("it is a symbolic link; give the path that it leads to");
  if (!info.isFile) throw new Error("it is not a regular file");
  return info;
}

import { errorCode, type FileTarget, systemError } from "./system_error.ts";
import { statRegular } from "./file_target.ts";

/** File systems without locks: there an edit goes on unlocked. */
const NO_LOCKS = ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "ENOTSUP"];
const LONGEST_PAUSE_MS = 20;

/** A file that no other call of Write or Edit replaces until it is disposed of. */
export interface LockedFile extends Disposable {
  /** The open file, readable only when that was asked for. */
  readonly file: Deno.FsFile;
  /** What the system said of it once it was locked. */
  readonly info: Deno.FileInfo;
}

/**
 * Takes the lock that Write and Edit hold while they replace a file, in this
 * process or another, and makes sure that the path still names the locked file.
 * Returns `undefined` when there is no file. Waits until the signal is aborted.
 * Throws a readable error for what is not a regular file or may not be written.
 */
export async function lockFile(
  target: FileTarget,
  options: { signal: AbortSignal; read: boolean },
): Promise<LockedFile | undefined> {
  for (let pause = 1;; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    options.signal.throwIfAborted();
    if (!statRegular(target)) return undefined;
    const file = open(target, options.read);
    if (!file) continue;
    try {
      if (tryLock(file) && isStillThere(file, target)) {
        return { file, info: file.statSync(), [Symbol.dispose]: () => file.close() };
      }
    } catch (error) {
      file.close();
      throw systemError(error, target);
    }
    file.close();
    // Chance keeps many waiting processes from asking in step.
    await new Promise((done) => setTimeout(done, pause * (0.5 + Math.random())));
  }
}

/** `undefined` when the file went away between the look and the opening. */
function open(target: FileTarget, read: boolean): Deno.FsFile | undefined {
  try {
    return Deno.openSync(target.path, { read, write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw systemError(error, target);
  }
}

function tryLock(file: Deno.FsFile): boolean {
  try {
    return file.tryLockSync(true);
  } catch (error) {
    if (NO_LOCKS.includes(errorCode(error) ?? "")) return true;
    throw error;
  }
}

/** A file that was replaced while this call waited is no longer the one to work on. */
function isStillThere(file: Deno.FsFile, target: FileTarget): boolean {
  const now = statRegular(target);
  const locked = file.statSync();
  return now?.ino === locked.ino && now.dev === locked.dev;
}

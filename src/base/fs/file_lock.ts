import { lockIfAny } from "../error_code.ts";
import type { FileStatus } from "./file_calls.ts";
import { OPEN, type SystemFile } from "./system_file.ts";
import { openTarget, statRegular } from "./file_target.ts";
import { type FileTarget, systemError } from "./system_error.ts";

const MAX_PAUSE_MS = 20;

/**
 * The time that the same file may be locked before it is replaced without the lock, in
 * milliseconds. Write and Edit hold a lock far shorter, and leave a new file. So another program
 * holds the lock, and any program that may read the file can do that.
 */
const PATIENCE_MS = 3_000;

/** A file that no other call of Write or Edit replaces until it is disposed of. */
export interface LockedFile extends Disposable {
  /** The open file, readable only when that was asked for. */
  readonly file: SystemFile;
  /** Its status after it was locked. */
  readonly info: FileStatus;
}

/**
 * Takes the lock that Write and Edit hold while they replace a file, in this process or another.
 * Makes sure that the path still names the locked file. Returns `undefined` when there is no file.
 * Waits until the signal is aborted. A program that keeps the same file locked is waited for only
 * three seconds. Then the file is opened without the lock, as on a file system without locks.
 * Throws a readable error when the file is not regular or may not be written.
 */
export async function lockFile(
  target: FileTarget,
  options: { signal: AbortSignal; read: boolean },
): Promise<LockedFile | undefined> {
  const flags = options.read ? OPEN.readWrite : OPEN.write;
  let blocked: { ino: number; since: number } | undefined;
  for (let pause = 1;; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    options.signal.throwIfAborted();
    const isPatient = blocked === undefined || performance.now() - blocked.since < PATIENCE_MS;
    const file = open(target, { flags, isPatient });
    if (file === undefined) return undefined;
    if (file !== "leased") {
      try {
        const info = file.status();
        if ((!isPatient || lockIfAny(() => file.tryLock())) && isStillThere(info, target)) {
          return { file, info, [Symbol.dispose]: () => file.close() };
        }
      } catch (error) {
        file.close();
        throw systemError(error, target);
      }
      file.close();
    }
    const ino = statRegular(target)?.ino ?? 0;
    if (ino !== blocked?.ino) blocked = { ino, since: performance.now() };
    // A random pause keeps many waiting processes from retrying at the same time.
    await new Promise((done) => setTimeout(done, pause * (0.5 + Math.random())));
  }
}

/**
 * A program that has a lease on a file (`fcntl(2)`) keeps others from opening it to write. After
 * a while it is opened to read, and replaced all the same.
 */
function open(
  target: FileTarget,
  { flags, isPatient }: { flags: number; isPatient: boolean },
): SystemFile | "leased" | undefined {
  try {
    return openTarget(target, flags);
  } catch (error) {
    const code = ((error as Error).cause as { systemError?: string } | undefined)?.systemError;
    if (code !== "EAGAIN") throw error;
    return isPatient ? "leased" : openTarget(target);
  }
}

/** A file that was replaced while this call waited is no longer the one to work on. */
function isStillThere(locked: FileStatus, target: FileTarget): boolean {
  const now = statRegular(target);
  return now?.ino === locked.ino && now.dev === locked.dev;
}

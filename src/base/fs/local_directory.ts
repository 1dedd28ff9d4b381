import type { FileCalls } from "./file_calls.ts";
import { fileCalls, OPEN, OPEN_AT_ONCE } from "./system_file.ts";

/** File systems on a disk or in memory, by their numbers (`statfs(2)`). The others may not answer. */
const LOCAL = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630], // ext, XFS, Btrfs, tmpfs, ramfs, overlay
  ...[0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x73717368, 0xe0f5e1e2], // F2FS, bcachefs, ZFS, SquashFS, EROFS
]);

const [REGULAR, DIRECTORY] = [0o100000, 0o040000];
const TYPE = 0o170000;

/** The system's calls that a {@link LocalDirectory} needs. */
type Calls = FileCalls & Required<Pick<FileCalls, "openBeneath" | "fileSystem" | "identity">>;

/**
 * An open directory of a local file system, in which short files are read at once. The system opens
 * a file only by the very path that is asked for: it follows no symlink and enters no other file
 * system on the way (`openat2(2)`). So a path that is authorised needs no other check.
 */
export class LocalDirectory {
  readonly #calls: Calls;
  readonly #descriptor: number;
  readonly #prefix: string;
  readonly #identity: string;

  private constructor(readonly path: string, calls: Calls, descriptor: number) {
    this.#calls = calls;
    this.#descriptor = descriptor;
    this.#prefix = path === "/" ? "/" : `${path}/`;
    const { dev, ino } = calls.stat(descriptor);
    this.#identity = `${dev} ${ino}`;
  }

  /** Opens a directory by its absolute path. Returns `undefined` where that cannot be done. */
  static open(path: string): LocalDirectory | undefined {
    const calls = fileCalls();
    if (!canOpenBeneath(calls)) return undefined;
    let descriptor: number | undefined;
    try {
      descriptor = calls.open(path, OPEN.read | OPEN_AT_ONCE, 0);
      const isDirectory = (calls.stat(descriptor).mode & TYPE) === DIRECTORY;
      if (isDirectory && LOCAL.has(calls.fileSystem(descriptor))) {
        return new LocalDirectory(path, calls, descriptor);
      }
    } catch { /* The caller does without. */ }
    if (descriptor !== undefined) calls.closeDescriptor(descriptor);
    return undefined;
  }

  /**
   * Returns the bytes of a regular file below the directory, by its absolute path without `..`.
   * Returns `undefined` for any other path, for a file of more than `maxBytes`, for an empty one, and
   * if it cannot be read at once.
   */
  read(path: string, maxBytes: number): Uint8Array<ArrayBuffer> | undefined {
    if (!path.startsWith(this.#prefix)) return undefined;
    const calls = this.#calls;
    const name = path.slice(this.#prefix.length);
    // Another directory may have this path by now.
    if (calls.identity(this.path) !== this.#identity) return undefined;
    const descriptor = calls.openBeneath(this.#descriptor, name, OPEN.read | OPEN_AT_ONCE);
    if (descriptor === undefined) return undefined;
    try {
      const { mode, size } = calls.stat(descriptor);
      if ((mode & TYPE) !== REGULAR || size === 0 || size > maxBytes) return undefined;
      // The buffer has one byte more than the file, which shows that a file has grown.
      const buffer = new Uint8Array(size + 1);
      return calls.read(descriptor, buffer) === size ? buffer.subarray(0, size) : undefined;
    } catch {
      return undefined;
    } finally {
      calls.closeDescriptor(descriptor);
    }
  }

  /** Closes it. */
  close(): void {
    this.#calls.closeDescriptor(this.#descriptor);
  }
}

function canOpenBeneath(calls: FileCalls): calls is Calls {
  return calls.openBeneath !== undefined && calls.fileSystem !== undefined &&
    calls.identity !== undefined;
}

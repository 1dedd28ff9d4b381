/** Files by their descriptors: opening one never waits, and no later change of its path matters. */

import { NamedError } from "../errors.ts";
import { decodeUtf8Lossy } from "../text/utf8.ts";
import type { FileCalls, FileStatus } from "./file_calls.ts";
import { openNativeFiles } from "./native_files.ts";
import { NodeFiles } from "./node_files.ts";

/** The ways to open a file, as the flags of Linux on every machine. */
export const OPEN = { read: 0, write: 1, readWrite: 2, create: 0o100, exclusive: 0o200 } as const;

/** The flags of every open: no controlling terminal, not inherited, and without waiting. */
export const OPEN_AT_ONCE = 0o400 | 0o4000 | 0o2000000;

/** The kinds of files by the bits of a mode (`inode(7)`). */
const TYPES: Readonly<Record<number, FileStatus["kind"]>> = {
  0o100000: "file",
  0o040000: "directory",
  0o010000: "pipe",
  0o140000: "socket",
};

/** Several bundles contain this module, but a thread can load the library only once. */
const KEY = Symbol.for("toolcall.file_calls");
const shared = globalThis as { [KEY]?: FileCalls };

/**
 * Loads the functions that open files, while this thread has the permission for native code. Only the
 * kernel's sandbox restricts files that are opened so. A thread that only the runtime restricts never
 * calls this.
 */
export function keepFileCalls(): void {
  const kept = shared[KEY] ?? openNativeFiles();
  if (kept !== undefined) shared[KEY] = kept;
}

/** The functions that {@link keepFileCalls} has loaded, or those that this thread has used. */
export function keptFileCalls(): FileCalls | undefined {
  return shared[KEY];
}

/** The system's calls for files in this thread. */
export function fileCalls(): FileCalls {
  return shared[KEY] ??= openNativeFiles() ?? new NodeFiles();
}

function kindOf(mode: number): FileStatus["kind"] {
  return TYPES[mode & 0o170000] ?? "device";
}

/** An open file, which later changes of its path do not affect. */
export class SystemFile implements Disposable {
  #calls = fileCalls();
  #descriptor: number;
  #path: string;
  #isOpen = true;

  /**
   * Opens a path by `flags` of {@link OPEN}, without waiting. `mode` is the mode of a new file,
   * from which the umask takes its part. Throws the system's error.
   */
  constructor(path: string, flags: number, mode = 0) {
    this.#path = path;
    this.#descriptor = this.#calls.open(path, flags | OPEN_AT_ONCE, mode);
  }

  /** The kind of the file at a path. It is not opened, because opening a device may start it. */
  static kindAt(path: string): FileStatus["kind"] {
    return kindOf(fileCalls().modeAt(path));
  }

  /** The current status of the open file. */
  status(): FileStatus {
    const status = this.#calls.stat(this.#descriptor);
    return { ...status, kind: kindOf(status.mode) };
  }

  /** The real path of the open file by now. Only Linux tells it. */
  realPath(): string | undefined {
    const link = `/proc/self/fd/${this.#descriptor}`;
    return Deno.build.os === "linux" ? Deno.readLinkSync(link) : undefined;
  }

  /**
   * The path of an entry of this open directory, whatever the path of the directory leads to by now.
   * Systems other than Linux have no such path, so it is the usual one there.
   */
  entry(name: string): string {
    const isLinux = Deno.build.os === "linux";
    return `${isLinux ? `/proc/self/fd/${this.#descriptor}` : this.#path}/${name}`;
  }

  /** Fills a part of the buffer; returns the number of bytes, or `null` at the end. */
  readSync(buffer: Uint8Array<ArrayBuffer>): number | null {
    return this.#calls.read(this.#descriptor, buffer) || null;
  }

  /** Writes all of the bytes. */
  writeAll(bytes: Uint8Array<ArrayBuffer>): void {
    for (let at = 0; at < bytes.length;) {
      at += this.#calls.write(this.#descriptor, bytes.subarray(at, at + 2 ** 30));
    }
  }

  /** Takes the lock until it is closed; `false` when another has it. */
  tryLock(): boolean {
    return this.#calls.lock(this.#descriptor, this.#path);
  }

  /** Gives the file to another owner. */
  chown(owner: { uid: number; gid: number }): void {
    this.#calls.chown(this.#descriptor, owner);
  }

  /** Sets the file's permissions. */
  chmod(mode: number): void {
    this.#calls.chmod(this.#descriptor, mode);
  }

  /** Replaces the whole content, in place. */
  overwrite(bytes: Uint8Array<ArrayBuffer>): void {
    this.writeAll(bytes);
    this.#calls.truncate(this.#descriptor, bytes.length);
    this.sync();
  }

  /** Takes over the extended attributes of another file; whether it has all of them. */
  copyAttributes(from: SystemFile): boolean {
    return this.#calls.copyAttributes?.(from.#descriptor, this.#descriptor) ?? true;
  }

  /** Waits until what was written is on the disk. */
  sync(): void {
    this.#calls.sync(this.#descriptor);
  }

  /** Closes it; a second time does nothing. */
  close(): void {
    if (this.#isOpen) this.#calls.closeDescriptor(this.#descriptor);
    this.#isOpen = false;
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** The error for a path that leads to no regular file; it has the kind. */
export class NotRegularError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "NotRegularError";

  /** Takes the kind of the file. */
  constructor(readonly kind: Exclude<FileStatus["kind"], "file">) {
    super(`it is ${KINDS[kind]}, not a regular file`);
  }
}

const KINDS = {
  ...{ directory: "a directory", pipe: "a named pipe (FIFO)" },
  ...{ socket: "a socket", device: "a device" },
};

/**
 * Opens a regular file without waiting: to read, unless `flags` of {@link OPEN} say otherwise.
 * Throws a {@link NotRegularError} for anything else, also when it has just replaced the file, and
 * the system's error.
 */
export function openRegular(path: string, flags: number = OPEN.read): SystemFile {
  // Here the runtime checks its permissions; the kernel checks its own when the file is opened.
  Deno.realPathSync(path);
  const kind = SystemFile.kindAt(path);
  if (kind !== "file") throw new NotRegularError(kind);
  const file = new SystemFile(path, flags);
  const { kind: opened } = file.status();
  if (opened === "file") return file;
  file.close();
  throw new NotRegularError(opened);
}

/**
 * All bytes of a regular file that has at most `limit`. Throws as {@link openRegular}, and for
 * a file that is longer or gives no data. `check` may throw for the open file.
 */
export function readRegular(
  path: string,
  limit = 64 * 1024 * 1024,
  check?: (file: SystemFile) => void,
): Uint8Array<ArrayBuffer> {
  using file = openRegular(path);
  check?.(file);
  // The buffer has one byte more than the file, so that the first read finds the end.
  let bytes = new Uint8Array(Math.min(file.status().size, limit) + 1);
  let used = 0;
  for (;;) {
    const count = file.readSync(bytes.subarray(used));
    if (count === null) return bytes.subarray(0, used);
    used += count;
    if (used > limit) throw new Error(`it has more than ${limit} bytes`);
    if (used < bytes.length) continue;
    const larger = new Uint8Array(bytes.length * 2);
    larger.set(bytes);
    bytes = larger;
  }
}

/** The text of such a file, in UTF-8; wrong bytes are U+FFFD. */
export function readRegularText(path: string, limit?: number): string {
  return decodeUtf8Lossy(readRegular(path, limit));
}

/** As {@link readRegular}; `undefined` for a file that it cannot read. */
export function tryRead(path: string, limit?: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    return readRegular(path, limit);
  } catch {
    return undefined;
  }
}

/** As {@link readRegularText}; `undefined` for a file that it cannot read. */
export function tryReadText(path: string, limit?: number): string | undefined {
  const bytes = tryRead(path, limit);
  return bytes && decodeUtf8Lossy(bytes);
}

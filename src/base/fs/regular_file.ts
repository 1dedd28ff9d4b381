import { NamedError } from "../errors.ts";
import type { FileStatus } from "./file_calls.ts";
import { OPEN, SystemFile } from "./system_file.ts";
import { decodeUtf8Lossy } from "../text/utf8.ts";

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
  folder: "a folder",
  pipe: "a named pipe (FIFO)",
  socket: "a socket",
  device: "a device",
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

/** The kind of file at a path, from the runtime's status. */
export function fileTypeOf(
  { isFile, isDirectory, isFifo, isSocket }: Deno.FileInfo,
): FileStatus["kind"] {
  return isFile
    ? "file"
    : isDirectory
    ? "folder"
    : isFifo
    ? "pipe"
    : isSocket
    ? "socket"
    : "device";
}

/**
 * All bytes of a regular file that has at most `limit`. Throws as {@link openRegular}, and for
 * a file that is longer or gives no data.
 */
export function readRegular(path: string, limit = 64 * 1024 * 1024): Uint8Array<ArrayBuffer> {
  using file = openRegular(path);
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

/** As {@link readRegularText}; `undefined` for a file that it cannot read. */
export function tryReadText(path: string, limit?: number): string | undefined {
  try {
    return readRegularText(path, limit);
  } catch {
    return undefined;
  }
}

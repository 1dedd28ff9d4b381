import type { FileStatus } from "./file_calls.ts";
import { errorCode } from "../error_code.ts";
import { NotRegularError, OPEN, openRegular, type SystemFile } from "./system_file.ts";
import { cannot, type FileTarget, systemError } from "./system_error.ts";

/**
 * The status of a regular file, or `undefined` for a missing file. Throws a readable error for a
 * directory, pipe, device or socket.
 */
export function statRegular(target: FileTarget): Deno.FileInfo | undefined {
  return unlessMissing(target, () => {
    const info = Deno.statSync(target.path);
    const kind = fileTypeOf(info);
    if (kind !== "file") throw new NotRegularError(kind);
    return info;
  });
}

/**
 * Opens a regular file without waiting, by `flags` of `OPEN`, or returns `undefined` for a missing
 * file. Throws a readable error, also for a directory, pipe, device or socket that has just
 * replaced the file.
 */
export function openTarget(target: FileTarget, flags: number = OPEN.read): SystemFile | undefined {
  return unlessMissing(target, () => openRegular(target.path, flags));
}

function unlessMissing<Found>(target: FileTarget, find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    if (!(error instanceof NotRegularError)) throw systemError(error, target);
    const isDirectory = error.kind === "directory";
    const why = isDirectory
      ? "it is a directory; list it with Glob, fs.list or file"
      : error.message;
    throw new Error(`${cannot(target)}: ${why}`, {
      cause: { systemError: isDirectory ? "EISDIR" : "EINVAL" },
    });
  }
}

/** The kind of file at a path, from the runtime's status. */
function fileTypeOf(
  { isFile, isDirectory, isFifo, isSocket }: Deno.FileInfo,
): FileStatus["kind"] {
  return isFile
    ? "file"
    : isDirectory
    ? "directory"
    : isFifo
    ? "pipe"
    : isSocket
    ? "socket"
    : "device";
}

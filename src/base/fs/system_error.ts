import { errorCode } from "../error_code.ts";
import { osErrorMessage } from "../os_error_message.ts";
import { quotePath } from "../text/quote.ts";

/** A file that a tool works on, and its name in messages. */
export interface FileTarget {
  /** The authorised real path, the one that is used. */
  readonly path: string;
  /** The path as the caller wrote it, the one that is shown. */
  readonly given: string;
  /** The action that failed, for messages. */
  readonly action: "read" | "write" | "edit" | "list" | "patch";
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or directory"],
  ["EACCES", "permission denied by the file system"],
  ["EPERM", "the file system does not permit it"],
  ["EISDIR", "it is a directory"],
  ["ENOTDIR", "a part of the path is a file, not a directory"],
  ["ENOSPC", "no space left on device"],
  ["EDQUOT", "the disk quota is used up"],
  ["EFBIG", "the file would be larger than the system allows"],
  ["EROFS", "the file system is read-only"],
  ["ELOOP", "its symbolic links form a loop"],
  ["ENAMETOOLONG", "the path or a name in it is too long"],
  ["EEXIST", "a file is where a directory is needed"],
  ["ETXTBSY", "it is a running program"],
  ["EBUSY", "the system uses it, for example as a mount point"],
  ["EMFILE", "too many files are open in this process"],
  ["ENFILE", "too many files are open on this machine"],
  ["ENOLCK", "no locks available"],
  ["ENOSYS", "function not implemented"],
  ["EOPNOTSUPP", "operation not supported"],
  ["ESTALE", "the file has disappeared from the network file system"],
  ["EIO", "the device reports an input or output error"],
  ["EINVAL", "the file system does not support such a name or operation"],
]);

/**
 * A failed system call as an error a person can act on, such as `Cannot write "/x": no space left
 * on device`, with `{ systemError: code }` as its cause. Any other error, such as a denied
 * permission, is returned unchanged.
 */
export function systemError(error: unknown, target: FileTarget): unknown {
  const code = errorCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const reason = REASONS.get(code) ??
    osErrorMessage(error).toLowerCase();
  return new Error(`${cannot(target)}: ${reason}`, { cause: { systemError: code } });
}

/**
 * The file at the path `given`, whose real path `resolve` returns. Throws a readable error when the
 * path cannot be resolved, such as for symlinks that form a circle.
 */
export function fileTarget(
  resolve: (path: string) => string,
  options: { given: string; action: FileTarget["action"] },
): FileTarget {
  try {
    return { ...options, path: resolve(options.given) };
  } catch (error) {
    throw systemError(error, { ...options, path: options.given });
  }
}

/** The beginning of a message: `Cannot read "/x"`. */
export function cannot(target: FileTarget): string {
  return `Cannot ${target.action} ${quotePath(target.given)}`;
}

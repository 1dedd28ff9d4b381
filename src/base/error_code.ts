/** The system's names for its errors by their numbers on Linux (`errno(3)`). */
// deno-fmt-ignore
const NAMES: Readonly<Record<number, string>> = {
  1: "EPERM", 2: "ENOENT", 4: "EINTR", 5: "EIO", 6: "ENXIO", 9: "EBADF", 11: "EAGAIN", 12: "ENOMEM",
  13: "EACCES", 16: "EBUSY", 17: "EEXIST", 18: "EXDEV", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL",
  23: "ENFILE", 24: "EMFILE", 26: "ETXTBSY", 27: "EFBIG", 28: "ENOSPC", 30: "EROFS", 31: "EMLINK",
  36: "ENAMETOOLONG", 37: "ENOLCK", 38: "ENOSYS", 40: "ELOOP", 95: "EOPNOTSUPP", 116: "ESTALE",
  122: "EDQUOT",
};

/** The system's name for an error's number, such as `ENOENT` for 2. */
export function errorName(number: number): string {
  return NAMES[number] ?? `os error ${number}`;
}

/**
 * The system's name for what failed, such as `ENOENT`, or `undefined` for an
 * error that is not the system's. The runtime gives some errors only a number.
 */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof Deno.errors.NotCapable) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  const number = /\(os error (\d+)\)/.exec(error.message)?.[1];
  return number === undefined ? undefined : errorName(Number(number));
}

/** The errors of a file system without locks, such as one of the network or of a sandbox. */
const NO_LOCKS = ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "ENOTSUP"];

/**
 * The result of `take`, which takes a lock, or `"none"` on a file system that has no locks. Throws
 * any other error.
 */
export function lockIfAny(take: () => boolean): boolean | "none" {
  try {
    return take();
  } catch (error) {
    if (NO_LOCKS.includes(errorCode(error) ?? "")) return "none";
    throw error;
  }
}

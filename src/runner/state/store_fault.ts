/** SQLite's primary result codes in words for the user (sqlite.org/rescode.html). */
const REASONS: Readonly<Record<number, string>> = {
  5: "other processes locked it for too long; try again",
  8: "it cannot be written; correct its permissions, or choose another directory with --state-dir",
  10: "the disk failed, or is full",
  11: "it is damaged; move it away, or choose another directory with --state-dir",
  13: "the disk is full",
  14: "it cannot be opened; correct its permissions, allow more open files (ulimit -n), or " +
    "choose another directory with --state-dir",
  26: "it is not a database of toolcall, or it is damaged; move it away, or choose another " +
    "directory with --state-dir",
};

const SQLITE_BUSY = 5;

/**
 * The reason of a failure of the store, with a remedy. Undefined if the error is neither SQLite's
 * nor about permissions.
 */
export function storeFaultReason(error: unknown): string | undefined {
  const code = codeOf(error);
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return known;
  if (code === undefined && !(error instanceof Deno.errors.PermissionDenied)) return undefined;
  return (error as Error).message;
}

/** Whether another process keeps SQLite from doing something. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === SQLITE_BUSY;
}

/** SQLite's primary result code, if an error is SQLite's. */
function codeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** The command line is wrong: its message goes to stderr, and the exit code is 2. */
export class UsageError extends Error {
  /** Its kind. */
  override name = "UsageError";
}

/** The most skipped paths that a note names. */
const MAX_NAMED = 3;

/** The reason for a path that the flags do not allow to read. */
export const NOT_GRANTED = "not granted by the flags";

/** The paths that a search could not read, for a note in its result. */
export class Skipped {
  /** The reason for the first path, if there is one. */
  reason: string | undefined;
  #count = 0;
  #named: string[] = [];

  /** Adds a path, in the form for the output, and a short reason. */
  add(path: string, reason: string): void {
    this.#count++;
    this.reason ??= reason;
    if (this.#named.length < MAX_NAMED) this.#named.push(`"${path}" (${reason})`);
  }

  /** A note with the paths, or an empty list. */
  notes(): string[] {
    if (this.#count === 0) return [];
    const rest = this.#count - this.#named.length;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return [`[Not searched: ${this.#named.join(", ")}${more}]`];
  }
}

/**
 * Returns whether the name of a directory entry is not UTF-8. The runtime replaces its invalid bytes
 * by U+FFFD and then finds no file with that name. `error` is the error of that attempt.
 */
export function isNotUtf8(path: string, error: unknown): boolean {
  return error instanceof Deno.errors.NotFound && path.includes("\uFFFD");
}

/** How many skipped paths are named. */
const MAX_NAMED = 3;

/** The reason where the flags do not let a call read a path. */
export const NOT_GRANTED = "not granted by the flags";

/** The paths that a search could not look into, so that it can say so. */
export class Skipped {
  #count = 0;
  #named: string[] = [];
  #reason: string | undefined;

  /** The reason of the first one, if there was one. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Notes a path, as it is shown, and the reason in a few words. */
  add(path: string, reason: string): void {
    this.#count++;
    this.#reason ??= reason;
    if (this.#named.length < MAX_NAMED) this.#named.push(`"${path}" (${reason})`);
  }

  /** One line that tells of them, or none. */
  notes(): string[] {
    if (this.#count === 0) return [];
    const rest = this.#count - this.#named.length;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return [`[Not searched: ${this.#named.join(", ")}${more}]`];
  }
}

/**
 * Whether the name of a directory entry is not UTF-8. The runtime shows its wrong bytes as U+FFFD
 * and finds nothing by that name. `error` is the error of looking for it.
 */
export function isNotUtf8(path: string, error: unknown): boolean {
  return error instanceof Deno.errors.NotFound && path.includes("\uFFFD");
}

/** Why a path could not be read, in a few words. */
export function reasonOf(error: unknown, path = ""): string {
  if (isNotUtf8(path, error)) return "its name is not UTF-8, so it cannot be opened";
  if (error instanceof Deno.errors.NotCapable) return NOT_GRANTED;
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotFound) return "it went away";
  return error instanceof Error ? error.message : String(error);
}

/**
 * Makes an empty file that only the user can read, where there is none. SQLite's other
 * files take after it.
 */
export function makePrivateFile(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

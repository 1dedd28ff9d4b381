/**
 * Creates `dir` and its parents where they are missing. Throws when something
 * other than a folder stands there.
 */
export function ensureDirSync(dir: string | URL): void {
  try {
    if (!Deno.statSync(dir).isDirectory) {
      throw new Error(`Failed to ensure directory exists: "${dir}" is not a directory`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(dir, { recursive: true });
  }
}

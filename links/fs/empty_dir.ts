/** Removes what `dir` holds, or creates it. */
export function emptyDirSync(dir: string | URL): void {
  try {
    for (const entry of [...Deno.readDirSync(dir)]) {
      Deno.removeSync(
        `${dir instanceof URL ? decodeURIComponent(dir.pathname) : dir}/${entry.name}`,
        {
          recursive: true,
        },
      );
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(dir, { recursive: true });
  }
}

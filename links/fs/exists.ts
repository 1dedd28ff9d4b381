/** Whether `path` names something; a symlink that leads nowhere does not. */
export function existsSync(path: string | URL): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Whether the store or its folder, which its other files are made in, cannot be written. */
export function isUnwritable(path: string): boolean {
  try {
    Deno.openSync(path, { append: true }).close();
    const trial = `${path}-${crypto.randomUUID()}`;
    Deno.openSync(trial, { write: true, createNew: true }).close();
    Deno.removeSync(trial);
    return false;
  } catch {
    return sizeOf(path) > 0;
  }
}

/** The size of a file in bytes; 0 where there is none. */
export function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

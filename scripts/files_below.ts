const root = new URL("../", import.meta.url);

/**
 * The files of the checkout at `path`, or below it, in the order of their names. Paths are relative
 * to the checkout. Throws an `Error` when `path` does not exist.
 */
export function filesBelow(path: string): string[] {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(new URL(path, root));
  } catch {
    throw new Error(`Cannot find "${path}"; give test files or directories of this checkout`);
  }
  if (info.isFile) return [path];
  const names = [...Deno.readDirSync(new URL(path, root))].map(({ name }) => name).sort();
  return names.flatMap((name) => filesBelow(`${path}/${name}`));
}

/** The content of a file of the checkout, by its path in it. */
export function readText(path: string): string {
  return Deno.readTextFileSync(new URL(path, root));
}

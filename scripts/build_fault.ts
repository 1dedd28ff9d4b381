/** The build reads these files, and every file below these directories, but no other scripts. */
const SOURCES = [
  ...["deno.json", "toolcall.schema.json", "main.ts", "worker.ts"],
  ...["src", "tools", "scripts", "links"],
];
const OTHER_SCRIPTS =
  /^scripts\/(?:(?:bench|interop|lint|testing)|(?:test|bench|plant_faults)\.ts)$/;

/**
 * Returns why the tests cannot use `dist/toolcall` of the checkout at `root`, and how to build it: it
 * is missing, or a source is newer. Returns `undefined` when it is up to date.
 */
export function buildFault(root: string): string | undefined {
  const built = modified(`${root}/dist/toolcall`);
  if (built === undefined) return 'dist/toolcall is missing. Build it: "deno task build"';
  for (const path of SOURCES) {
    const newer = newerThan(built, root, path);
    if (newer !== undefined) {
      return `dist/toolcall is older than ${newer}. Build it again: "deno task build"`;
    }
  }
  return undefined;
}

/** The first file at `path` or below it that changed after `time`. */
function newerThan(time: number, root: string, path: string): string | undefined {
  if (OTHER_SCRIPTS.test(path)) return undefined;
  const info = statOf(`${root}/${path}`);
  if (info?.isFile) return info.mtime!.getTime() > time ? path : undefined;
  if (!info?.isDirectory) return undefined;
  for (const { name } of Deno.readDirSync(`${root}/${path}`)) {
    const newer = newerThan(time, root, `${path}/${name}`);
    if (newer !== undefined) return newer;
  }
  return undefined;
}

function modified(path: string): number | undefined {
  return statOf(path)?.mtime?.getTime();
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

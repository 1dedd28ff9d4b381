/** The bench keeps files for later runs in a cache directory, and never in the checkout. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Returns the bench's own directory in the user's cache directory, and creates it if necessary. */
export function cacheDirectory(): string {
  const named = Deno.env.get("XDG_CACHE_HOME") ?? "";
  const cache = isAbsolute(named) ? named : join(homedir(), ".cache");
  const directory = join(cache, "toolcall-bench");
  Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** Creates a directory for one run, and removes those that killed runs left over a day ago. */
export function makeRunDirectory(parent: string = cacheDirectory()): string {
  for (const { name } of Deno.readDirSync(parent)) {
    const path = join(parent, name);
    if (!name.startsWith("run-")) continue;
    const isOld = Date.now() - (Deno.statSync(path).mtime?.getTime() ?? 0) > 24 * 3_600_000;
    if (isOld) Deno.removeSync(path, { recursive: true });
  }
  return Deno.makeTempDirSync({ dir: parent, prefix: "run-" });
}

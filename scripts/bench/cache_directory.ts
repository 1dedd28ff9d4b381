/** Where the bench keeps what it needs again: never in the checkout. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The bench's own directory in the user's cache directory, which is made if need be. */
export function cacheDirectory(): string {
  const named = Deno.env.get("XDG_CACHE_HOME") ?? "";
  const cache = isAbsolute(named) ? named : join(homedir(), ".cache");
  const directory = join(cache, "toolcall-bench");
  Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** A new directory for one run. Those that killed runs left a day ago are removed. */
export function makeRunDirectory(parent: string = cacheDirectory()): string {
  for (const { name } of Deno.readDirSync(parent)) {
    const path = join(parent, name);
    if (!name.startsWith("run-")) continue;
    const isOld = Date.now() - (Deno.statSync(path).mtime?.getTime() ?? 0) > 24 * 3_600_000;
    if (isOld) Deno.removeSync(path, { recursive: true });
  }
  return Deno.makeTempDirSync({ dir: parent, prefix: "run-" });
}

/** Installs packages of Python for tests once, in the cache directory of the bench. */
import { join } from "node:path";
import { cacheDirectory } from "../../scripts/bench/cache_directory.ts";
import { isFile } from "../../scripts/bench/npm_packages.ts";

/** The time limit of the installation, in milliseconds. */
const MAX_MS = 300_000;

/** Returns the directory of these packages for `PYTHONPATH`. Throws an Error if pip fails. */
export async function installPython(packages: readonly string[]): Promise<string> {
  const directory = join(cacheDirectory(), `python_${packages.join("+")}`);
  if (isFile(join(directory, "complete"))) return directory;
  const flags = ["--quiet", "--disable-pip-version-check", "--no-input", "--retries=0"];
  const { success, stderr } = await new Deno.Command("python3", {
    args: ["-m", "pip", "install", ...flags, "--upgrade", "--target", directory, ...packages],
    ...{ stdin: "null", stdout: "null", stderr: "piped", signal: AbortSignal.timeout(MAX_MS) },
  }).output();
  if (!success) {
    const lines = new TextDecoder().decode(stderr).trim().split("\n");
    const why = lines.findLast((line) => line.startsWith("ERROR")) ?? lines.at(-1) ?? "";
    throw new Error(`pip cannot install ${packages.join(" and ")}: ${why}`);
  }
  Deno.writeTextFileSync(join(directory, "complete"), "");
  return directory;
}

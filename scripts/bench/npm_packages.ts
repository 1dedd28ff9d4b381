/**
 * Installs packages from npm into the bench's cache, each in an exact version. The packages that
 * they depend on are those of one day.
 */
import { join } from "node:path";
import { cacheDirectory } from "./cache_directory.ts";
import { Missing } from "./rows.ts";

/** The day that decides the versions of the packages that others depend on. */
const DAY = "2026-11-20";

/**
 * Installs these packages once, and returns their `node_modules`. Each name has an exact version. The
 * packages that they need have the newest version of `day`. Throws `Missing` with npm's reason if the
 * installation fails.
 */
export async function installPackages(
  packages: readonly string[],
  day: string = DAY,
): Promise<string> {
  const name = packages.map((each) => each.replace(/[@/]/g, "_")).join("+");
  const directory = join(cacheDirectory(), `${name}_${day}`);
  const modules = join(directory, "node_modules");
  if (isFile(join(directory, "complete"))) return modules;
  Deno.mkdirSync(directory, { recursive: true });
  Deno.writeTextFileSync(join(directory, "package.json"), '{ "private": true }\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", `--before=${day}`];
  try {
    const { success, stderr } = await new Deno.Command("npm", {
      args: ["install", ...flags, ...packages],
      cwd: directory,
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Missing(`npm cannot install ${packages}: ${lastError(stderr)}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Missing(`${packages} needs npm, which is not installed`);
  }
  Deno.writeTextFileSync(join(directory, "complete"), "");
  return modules;
}

/** npm's reason. Its other lines name directories of this machine. */
function lastError(stderr: Uint8Array): string {
  const lines = new TextDecoder().decode(stderr).split("\n");
  return lines.find((line) => /^npm (error|ERR!) (code|[0-9])/.test(line)) ?? "no reason given";
}

/** Whether there is a file at this path. */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

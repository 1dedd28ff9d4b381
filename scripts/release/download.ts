/** Downloads packages of npm for other platforms than this one. npm checks their hashes. */
import { join } from "node:path";
import { lockedIntegrity } from "./lock_file.ts";

/** The longest time that a download may take, in milliseconds. */
const DOWNLOAD_MS = 300_000;

/** A package that cannot be downloaded, with the reason. */
export class MissingPackageError extends Error {}

/**
 * Downloads a package into a new directory below `directory`, and returns the path of its files.
 *
 * @throws {MissingPackageError} if the registry does not have it, or npm cannot be run.
 */
export async function downloadPackage(
  { name, version, directory }: { name: string; version: string; directory: string },
): Promise<string> {
  const place = await Deno.makeTempDir({ dir: directory });
  const packed = await npm(["pack", "--json", "--pack-destination", place, `${name}@${version}`]);
  const [{ filename, integrity }] = JSON.parse(packed);
  const expected = lockedIntegrity(name, version);
  if (expected !== undefined && expected !== integrity) {
    throw new Error(`${name}@${version} has the hash ${integrity}, but deno.lock has ${expected}`);
  }
  const { success, stderr } = await new Deno.Command("tar", {
    args: ["-xzf", join(place, filename), "-C", place],
  }).output();
  if (!success) throw new Error(`Cannot unpack ${filename}: ${new TextDecoder().decode(stderr)}`);
  return join(place, "package");
}

/** The exact version that the registry has for a version or tag. Throws `MissingPackageError`. */
export async function availableVersion(name: string, version: string): Promise<string> {
  const found = await npm(["view", "--json", `${name}@${version}`, "version"]);
  if (found.trim() === "") throw new MissingPackageError(`npm has no ${name}@${version}`);
  return JSON.parse(found);
}

async function npm(args: string[]): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("npm", {
      args: ["--loglevel=error", ...args],
      stdin: "null",
      signal: AbortSignal.timeout(DOWNLOAD_MS),
    }).output();
  } catch (error) {
    throw new MissingPackageError(`npm cannot be run: ${(error as Error).message}`);
  }
  const decoder = new TextDecoder();
  if (output.success) return decoder.decode(output.stdout);
  const cause = decoder.decode(output.stderr).split("\n")
    .filter((line) => line.startsWith("npm error")).map((line) => line.slice(10));
  const reason = cause.find((line) => /No match|not found/i.test(line)) ?? cause[0];
  throw new MissingPackageError(`npm ${args[0]} ${args.at(-1)} failed: ${reason}`);
}

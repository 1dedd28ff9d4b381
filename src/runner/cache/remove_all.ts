import { osErrorMessage } from "../../base/os_error_message.ts";
import { cacheDirectories } from "../sandbox/policy/own_paths.ts";
import { usualStateDirectory } from "../state/state_directory.ts";
import { cachedVersions, removeVersion } from "./cached_versions.ts";

/** The result of a removal. */
export interface Removal {
  /** The names of the removed versions. */
  removed: string[];
  /** The size of their files, in bytes. */
  bytes: number;
  /** The versions that stay, because programs run from them. */
  kept: number;
  /** The removed directories. */
  directories: string[];
  /** The reasons why something could not be removed, one line each. */
  failed: string[];
}

/** A file that the program puts beside the versions: a copy of ripgrep, or the mark of a lock. */
const OWN_FILE = /^(?:rg\.[0-9a-f]{64}|[0-9a-f]{16}(?:\.lock)?)$/;

/**
 * Removes everything that the program keeps outside of its installation: all versions, also the one
 * that runs, and their directories if they are empty then. With `withState` also the default state
 * directory. A version that another process runs from stays.
 */
export function removeAll(
  running: string | undefined,
  { withState }: { withState: boolean },
): Removal {
  const result: Removal = { removed: [], bytes: 0, kept: 0, directories: [], failed: [] };
  const state = withState ? usualStateDirectory() : undefined;
  if (state !== undefined) removeDirectory(state, result, true);
  const own = running === undefined ? [] : [running.slice(0, running.lastIndexOf("/"))];
  for (const directory of new Set([...own, ...cacheDirectories()])) {
    if (isOwnDirectory(directory)) removeVersions(directory, running ?? "", result);
  }
  return result;
}

function removeVersions(directory: string, running: string, result: Removal): void {
  // The running version goes last, because it is still needed.
  for (const version of cachedVersions(directory, running).reverse()) {
    const fault = version.isInUse ? "a program runs from it" : removeVersion(directory, version);
    if (fault === undefined) {
      result.removed.push(version.name);
      result.bytes += version.bytes;
    } else {
      result.kept++;
      result.failed.push(`Cannot remove "${directory}/${version.name}": ${fault}`);
    }
  }
  if (cachedVersions(directory, running).length > 0) return;
  for (const { name, isFile } of Deno.readDirSync(directory)) {
    if (isFile && OWN_FILE.test(name)) Deno.removeSync(`${directory}/${name}`);
  }
  // The compiled tools of the user's tools directory.
  const tools = `${directory}/tools`;
  if (isOwnDirectory(tools)) Deno.removeSync(tools, { recursive: true });
  if ([...Deno.readDirSync(directory)].length === 0) removeDirectory(directory, result, false);
}

function removeDirectory(path: string, result: Removal, recursive: boolean): void {
  if (!isOwnDirectory(path)) return;
  try {
    Deno.removeSync(path, { recursive });
    result.directories.push(path);
  } catch (error) {
    result.failed.push(`Cannot remove "${path}": ${osErrorMessage(error)}`);
  }
}

function isOwnDirectory(path: string): boolean {
  try {
    const { isDirectory, uid } = Deno.lstatSync(path);
    return isDirectory && (uid === null || uid === Deno.uid());
  } catch {
    return false;
  }
}

/** Finds, makes and opens the directories that a call writes in. No link can lead elsewhere. */

import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { FileToWrite } from "../executors/executor.ts";
import { AT_FDCWD, type Kernel, pathBytes, stepFailed } from "./kernel.ts";
import { isDirectory, isInside, realPathIfAny } from "../policy/paths.ts";

const O_PATH_CLOEXEC = 0o12000000;
const MAX_PATH = 4_096;
/** The mode that the runtime also gives to directories. The umask reduces it. */
const DIRECTORY_MODE = 0o777;

/**
 * The directory that must be writable to write a file, because a file is replaced through another
 * beside it. It exists or will be made. `undefined` if the path itself is a directory, which is
 * neither removed nor renamed.
 */
export function directoryToWrite(
  { path, directoriesIn, asEntry = false }: FileToWrite,
): string | undefined {
  if (!asEntry && isDirectory(path)) return undefined;
  const directory = dirname(path);
  return isDirectory(directory) || makes(directory, directoriesIn) ? directory : undefined;
}

/**
 * Opens these directories, and makes the missing ones first. Each path is authorised and real, so
 * one that leads through a link by now is refused. Returns the descriptors by the paths; they only
 * name the directories. Directories that cannot exist are left out; the tool then says why. Throws
 * `tool_failed` when a directory is not the authorised one.
 */
export function openDirectoriesToWrite(
  kernel: Kernel,
  files: readonly FileToWrite[],
): Map<string, number> {
  const opened = new Map<string, number>();
  for (const file of files) {
    const directory = directoryToWrite(file);
    if (directory === undefined || opened.has(directory)) continue;
    const open = makes(directory, file.directoriesIn) ? openOrMake : openReal;
    const descriptor = open(kernel, directory);
    if (descriptor >= 0) {
      opened.set(directory, descriptor);
      continue;
    }
    // It was changed if it exists after all, or is reached by a link.
    if (!isDirectory(directory) && (realPathIfAny(directory) ?? directory) === directory) continue;
    closeDirectories(kernel, opened);
    const why = "its directory was changed while the call ran";
    throw new CallError("tool_failed", `Cannot write ${quote(file.path)}: ${why}`);
  }
  return opened;
}

/** Closes open directories. */
export function closeDirectories(kernel: Kernel, opened: ReadonlyMap<string, number>): void {
  for (const descriptor of opened.values()) kernel.call("close", descriptor);
}

function makes(directory: string, directoriesIn: string | undefined): boolean {
  return directoriesIn !== undefined && isInside(directory, directoriesIn);
}

/** Opens a directory, or makes it in its parent, which is open. Negative on failure. */
function openOrMake(kernel: Kernel, directory: string): number {
  const found = openReal(kernel, directory);
  if (found >= 0 || directory === "/") return found;
  const above = openOrMake(kernel, dirname(directory));
  if (above < 0) return above;
  const name = basename(directory);
  // The result is ignored: opening the directory shows whether it exists.
  kernel.call("mkdirat", above, pathBytes(name), DIRECTORY_MODE);
  const made = openReal(kernel, directory, { name, above });
  kernel.call("close", above);
  return made;
}

/**
 * Opens the directory whose real path is `path`, by its name in its parent if that is open.
 * Negative on failure, and when a link led elsewhere. (`openat2` could refuse links by itself, but
 * the sandbox of programs does not allow it.)
 */
function openReal(
  kernel: Kernel,
  path: string,
  { name, above }: { name: string; above: number } = { name: path, above: AT_FDCWD },
): number {
  // The slash at the end makes openat fail unless this is a directory.
  const descriptor = kernel.call("openat", above, pathBytes(`${name}/`), O_PATH_CLOEXEC);
  if (descriptor < 0 || isAt(kernel, descriptor, path)) return descriptor;
  kernel.call("close", descriptor);
  return -1;
}

/** Whether `path` is the real path of the open file. */
function isAt(kernel: Kernel, descriptor: number, path: string): boolean {
  const link = pathBytes(`/proc/self/fd/${descriptor}`);
  const [real, wanted] = [new Uint8Array(MAX_PATH), new TextEncoder().encode(path)];
  const length = kernel.call("readlinkat", AT_FDCWD, link, real, real.length);
  if (length < 0) throw stepFailed("Landlock", "/proc is not mounted, so no path can be checked");
  return length === wanted.length && wanted.every((byte, index) => byte === real[index]);
}

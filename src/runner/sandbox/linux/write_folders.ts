/** The folders that a call writes in: found, made and opened so that no link leads them astray. */

import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { FileToWrite } from "../executors/executor.ts";
import { type Kernel, stepFailed } from "./kernel.ts";
import { isFolder, isInside, realPathIfAny } from "../policy/paths.ts";

const AT_FDCWD = -100;
const O_PATH_CLOEXEC = 0o12000000;
const MAX_PATH = 4_096;
/** The mode that the runtime gives folders too; the umask takes its part of it. */
const FOLDER_MODE = 0o777;

/**
 * The folder that is written in to write a file, as far as it is there or will be made:
 * a file is replaced through another beside it. None for what is a folder itself.
 */
export function folderToWrite({ path, foldersIn }: FileToWrite): string | undefined {
  if (isFolder(path)) return undefined;
  const folder = dirname(path);
  return isFolder(folder) || makes(folder, foldersIn) ? folder : undefined;
}

/**
 * Opens these folders, and makes what is missing of them first. Each path is authorised
 * and real: one that leads through a link by now is another's. Returns the descriptors,
 * which are good for nothing but to name the folders. What cannot be there is left out, for
 * the tool to tell why. Throws `tool_failed` when a folder is not what was authorised.
 */
export function openFoldersToWrite(kernel: Kernel, files: readonly FileToWrite[]): number[] {
  return files.flatMap((file) => {
    const folder = folderToWrite(file);
    if (folder === undefined) return [];
    const open = makes(folder, file.foldersIn) ? openOrMake : openReal;
    const descriptor = open(kernel, folder);
    if (descriptor >= 0) return [descriptor];
    if (!wasChanged(folder)) return [];
    const why = "its folder was changed while the call ran";
    throw new CallError("tool_failed", `Cannot write ${quote(file.path)}: ${why}`);
  });
}

function makes(folder: string, foldersIn: string | undefined): boolean {
  return foldersIn !== undefined && isInside(folder, foldersIn);
}

/** Opens a folder, or makes it in the one above, which is held open. Negative on failure. */
function openOrMake(kernel: Kernel, folder: string): number {
  const found = openReal(kernel, folder);
  if (found >= 0 || folder === "/") return found;
  const above = openOrMake(kernel, dirname(folder));
  if (above < 0) return above;
  const name = basename(folder);
  // Whether it was made or something stands there, opening it tells.
  kernel.call("mkdirat", above, bytesOf(name), FOLDER_MODE);
  const made = openReal(kernel, folder, { name, above });
  kernel.call("close", above);
  return made;
}

/**
 * Opens the folder whose real path is `path`, by its name in the one above where that
 * is open. Negative on failure, and when a link led elsewhere. (`openat2` refuses links
 * by itself, but behind the walls around programs there is none.)
 */
function openReal(
  kernel: Kernel,
  path: string,
  { name, above }: { name: string; above: number } = { name: path, above: AT_FDCWD },
): number {
  // That it be a folder, the slash at the end says.
  const descriptor = kernel.call("openat", above, bytesOf(`${name}/`), O_PATH_CLOEXEC);
  if (descriptor < 0 || isAt(kernel, descriptor, path)) return descriptor;
  kernel.call("close", descriptor);
  return -1;
}

/** Whether `path` is the real path of what is open. */
function isAt(kernel: Kernel, descriptor: number, path: string): boolean {
  const link = bytesOf(`/proc/self/fd/${descriptor}`);
  const [real, wanted] = [new Uint8Array(MAX_PATH), new TextEncoder().encode(path)];
  const length = kernel.call("readlinkat", AT_FDCWD, link, real, real.length);
  if (length < 0) throw stepFailed("Landlock", "/proc is not mounted, so no path can be checked");
  return length === wanted.length && wanted.every((byte, index) => byte === real[index]);
}

/** Whether a folder that could not be opened is there after all, or is reached by a link. */
function wasChanged(folder: string): boolean {
  return isFolder(folder) || (realPathIfAny(folder) ?? folder) !== folder;
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${path}\0`);
}

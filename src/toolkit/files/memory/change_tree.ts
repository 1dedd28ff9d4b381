/** The changes of the memory tool that concern whole directories: to delete and to rename. */

import { linkFile, removeFile, renameFile } from "../../../base/fs/change_files.ts";
import { errorCode } from "../../../base/error_code.ts";
import { systemError } from "../../../base/fs/system_error.ts";
import type { CallFile } from "../call_file.ts";

/** The most levels of directories that are deleted or renamed. */
const MAX_LEVELS = 64;

/** Whether the flags let a call change what is at a path. */
export type MayChange = (path: string) => boolean;

/** The entries of a tree, each before what is in it. */
interface TreeEntry {
  path: string;
  isDirectory: boolean;
}

/** The status of a file, a directory or a symlink; `undefined` if nothing is there. Throws a readable error. */
export function entryAt(file: CallFile): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(file.path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw systemError(error, file);
  }
}

/**
 * Removes a file, or a directory with everything in it. No symlink is followed. Throws a readable
 * error. If the flags deny a path in the directory, nothing is removed.
 */
export function deleteTree(file: CallFile, mayChange: MayChange): void {
  const entries = treeOf(file, mayChange);
  try {
    for (const { path, isDirectory } of entries.reverse()) {
      if (isDirectory) Deno.removeSync(path);
      else removeFile(path);
    }
  } catch (error) {
    throw systemError(error, file);
  }
}

/**
 * Gives a file or a directory another path, where nothing may be. Returns false if something is
 * there. Throws a readable error. If the flags deny a path in the directory, nothing is renamed.
 */
export function moveTree(
  from: CallFile,
  to: CallFile,
  { mayChange, isDirectory }: { mayChange: MayChange; isDirectory: boolean },
): boolean {
  for (const { path } of treeOf(from, mayChange)) {
    refuseDenied(from, to.path + path.slice(from.path.length), mayChange);
  }
  if (entryAt(to) !== undefined) return false;
  try {
    if (isDirectory) renameFile(from.path, to.path);
    else return moveFile(from.path, to.path);
  } catch (error) {
    throw systemError(error, from);
  }
  return true;
}

/** Renames a file without replacing another one, also one that was made just now. */
function moveFile(from: string, to: string): boolean {
  try {
    linkFile(from, to);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    // Some file systems have no hard links.
    renameFile(from, to);
    return true;
  }
  removeFile(from);
  return true;
}

function treeOf(file: CallFile, mayChange: MayChange): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const visit = (path: string, isDirectory: boolean, level: number) => {
    refuseDenied(file, path, mayChange);
    entries.push({ path, isDirectory });
    if (!isDirectory) return;
    if (level > MAX_LEVELS) throw new Error(`Cannot change "${file.given}": it is nested too deep`);
    for (const entry of Deno.readDirSync(path)) {
      visit(`${path}/${entry.name}`, entry.isDirectory, level + 1);
    }
  };
  try {
    visit(file.path, Deno.lstatSync(file.path).isDirectory, 1);
  } catch (error) {
    throw systemError(error, file);
  }
  return entries;
}

function refuseDenied(file: CallFile, path: string, mayChange: MayChange): void {
  if (mayChange(path)) return;
  throw new Error(
    `Permission denied: "${file.given}" has a path that the flags do not allow to change; ` +
      "delete or rename the other files one by one",
  );
}

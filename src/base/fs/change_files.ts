/** Changes of files by their paths. */

import { fileCalls } from "./system_file.ts";

/** Limits the changes of files in this thread. See `FileCalls`. */
export function changeOnlyIn(directories: ReadonlyMap<string, number> | undefined): void {
  fileCalls().changeOnlyIn(directories);
}

/** Renames a file, over another one if there is one. Throws the system's error. */
export function renameFile(from: string, to: string): void {
  fileCalls().rename(from, to);
}

/** Gives a file another name, which no file may have. Throws the system's error. */
export function linkFile(from: string, to: string): void {
  fileCalls().link(from, to);
}

/** Removes a file. Throws the system's error. */
export function removeFile(path: string): void {
  fileCalls().remove(path);
}

/** Makes the missing directories of a path. Throws the system's error. */
export function makeDirectories(path: string): void {
  try {
    if (Deno.statSync(path).isDirectory) return;
  } catch { /* Making it says why it cannot be there. */ }
  Deno.mkdirSync(path, { recursive: true });
}

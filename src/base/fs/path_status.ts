/** The status of what is at a path, without opening it. */

import type { PathStatus } from "./file_calls.ts";
import { keptFileCalls } from "./system_file.ts";

/**
 * The status of what is at a path, a symlink itself; `undefined` if there is nothing or it cannot be
 * told. Thousands of such looks at paths cost half as much as through the runtime. The first
 * look through the runtime costs a cold call 0.2 to 0.3 milliseconds.
 */
export function lookAt(path: string): PathStatus | undefined {
  const kept = keptFileCalls();
  if (kept?.look !== undefined) return kept.look(path);
  try {
    const info = Deno.lstatSync(path);
    const { mode, mtime, size } = info;
    return { mode: mode ?? kindBits(info), changed: mtime?.getTime() ?? 0, size };
  } catch {
    return undefined;
  }
}

/** The bits of a mode for the kind of a file. Windows tells no mode. */
function kindBits({ isDirectory, isFile, isSymlink }: Deno.FileInfo): number {
  return isSymlink ? 0o120000 : isDirectory ? 0o040000 : isFile ? 0o100000 : 0;
}

/** Whether there is certainly nothing at a path, not even a symlink. */
export function isMissing(path: string): boolean {
  const kept = keptFileCalls();
  if (kept?.isMissing !== undefined) return kept.isMissing(path);
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
  }
}

/** Whether a mode is that of a directory, a regular file, or a symlink. */
export function modeKind(mode: number): "directory" | "file" | "symlink" | "other" {
  const type = mode & 0o170000;
  if (type === 0o040000) return "directory";
  return type === 0o100000 ? "file" : type === 0o120000 ? "symlink" : "other";
}

/** Whether a path is a directory itself, and no symlink to one. */
export function isRealDirectory(path: string): boolean {
  const status = lookAt(path);
  return status !== undefined && modeKind(status.mode) === "directory";
}
